import Compositing
import Foundation
import Imaging
import MatteVision
import Measuring
import Media

/// Measures what it costs to put something behind people, with their masks at hand: no networks, no decoding, no encoding.
public struct CompositeBenchmark {
    /// One thing to make of a frame.
    public struct Subject {
        /// In Markdown.
        public let name: String
        let make: (VideoFrame, PixelBuffer) throws -> VideoFrame

        /// `make` gets a frame and its mask.
        public init(_ name: String, make: @escaping (VideoFrame, PixelBuffer) throws -> VideoFrame) {
            self.name = name
            self.make = make
        }

        /// Puts `background` behind the people, with `effects`.
        public init(_ name: String, _ background: Background, effects: [Effect] = []) {
            let compositor = Compositor()
            self.init(name) { frame, mask in
                compositor.composite(frame, mask: mask, over: background, effects: effects)
            }
        }

        /// Puts what `paint` makes for the first frame behind the people of all, as long as frames stay alike.
        public init(_ name: String, paint: @escaping (VideoFrame) -> PixelBuffer) {
            let compositor = Compositor()
            var painted: PixelBuffer?
            self.init(name) { frame, mask in
                let picture = painted ?? paint(frame)
                painted = picture
                return compositor.composite(frame, mask: mask, over: .picture(picture))
            }
        }

        /// Puts the picture or video at `path` behind the people.
        ///
        /// - Throws: `MediaError` where it can't be read.
        public init(_ name: String, media path: String) throws {
            let (compositor, reader) = (Compositor(), try BackgroundReader(path: path))
            self.init(name) { frame, mask in
                let picture = try reader.picture(at: frame.time ?? 0, behind: frame)
                return compositor.composite(frame, mask: mask, over: .picture(picture))
            }
        }
    }

    private let frames: [VideoFrame]
    private let masks: [PixelBuffer]

    /// Decodes the first `limit` frames of `video` and makes their masks at balanced; both stay in memory.
    ///
    /// - Throws: `MediaError` where the video can't be read, `VisionError` where a model is missing.
    public init(video: String, limit: Int, models: ModelLibrary) throws {
        frames = try MaskBenchmark(video: video, limit: limit).frames
        let request = GeneratePersonSegmentationRequest(qualityLevel: .balanced, models: models)
        masks = try frames.map { try request.perform(on: $0).pixelBuffer }
    }

    /// How many frames a round has.
    public var frameCount: Int { frames.count }

    /// Milliseconds of CPU time that each of `subjects` takes for a frame: the median over the frames, and of that the median
    /// over `rounds`.
    ///
    /// - Throws: what the subjects throw.
    public func cpuMilliseconds(of subjects: [Subject], _ rounds: Rounds) throws -> [Double] {
        try rounds.medians(of: subjects) { subject in
            var stopwatch = Stopwatch()
            for (frame, mask) in zip(frames, masks) {
                _ = try stopwatch.time { try subject.make(frame, mask) }
            }
            return stopwatch.medianCPUMilliseconds
        }
    }
}
