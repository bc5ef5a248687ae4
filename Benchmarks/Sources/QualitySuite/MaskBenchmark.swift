import Imaging
import MatteVision
import Measuring
import Media

/// Measures what the masks of one video cost, with nothing else going on beside: no decoding, no comparing.
public struct MaskBenchmark {
    /// In memory, so that rounds differ in nothing but the mask.
    let frames: [VideoFrame]

    /// Decodes the first `limit` frames of `video`, or all of them; they stay in memory.
    ///
    /// - Throws: `MediaError` where the video can't be read.
    public init(video: String, limit: Int? = nil) throws {
        let reader = try MediaReader(path: video, options: .init(threads: 1, frameLimit: limit))
        var frames: [VideoFrame] = []
        while let item = try reader.next() {
            if case .frame(let frame) = item { frames.append(frame) }
        }
        self.frames = frames
    }

    /// How many frames a round has.
    public var frameCount: Int { frames.count }

    /// Milliseconds of CPU time that a frame's mask takes, all threads counted, of each of `methods`: the mean over the
    /// frames, because levels don't do the same in every frame, and of that the median over `rounds`.
    ///
    /// - Throws: `VisionError` where a model is missing.
    public func cpuMilliseconds(of methods: [Method], _ rounds: Rounds) throws -> [Double] {
        let requests = methods.map {
            GeneratePersonSegmentationRequest(qualityLevel: $0.level, models: $0.models)
        }
        return try rounds.medians(of: requests) { request in
            request.reset()
            var stopwatch = Stopwatch()
            for frame in frames { _ = try stopwatch.time { try request.perform(on: frame) } }
            return stopwatch.meanCPUMilliseconds
        }
    }
}
