import Foundation
import Imaging
import MatteMetrics
import MatteVision
import Measuring
import Media

/// What one method did on one clip: a row of the table.
public struct Evaluation: Encodable, Sendable {
    public let clip: String
    public let level: String
    public let frames: Int
    /// Width of the frames in pixels.
    public let width: Int
    /// Height of the frames in pixels.
    public let height: Int
    public let scores: MatteScores
    /// Milliseconds that the request alone takes for a frame on one thread: the median.
    public let milliseconds: Double
    /// Milliseconds of CPU time that it takes, all threads counted: the median.
    public let cpuMilliseconds: Double
    /// The frame with the largest MAD.
    public let worst: WorstFrame

    /// The frame with the largest MAD.
    public struct WorstFrame: Encodable, Sendable {
        /// Counted from 0.
        public let index: Int
        public let mad: Double
        let frame: VideoFrame
        let truth: AlphaMatte
        let mask: AlphaMatte

        private enum CodingKeys: CodingKey { case index, mad }
    }
}

/// Runs methods on clips and compares their masks with the truth.
public struct Evaluator {
    /// Grad and Conn are taken of every `every`th frame.
    public var every = 1
    /// How many frames of each clip are taken; nil for all.
    public var limit: Int?
    /// Where the masks are kept, as `CLIP_LEVEL.mkv`; nil for nowhere.
    public var masksFolder: String?

    public init(every: Int = 1, limit: Int? = nil, masksFolder: String? = nil) {
        self.every = every
        self.limit = limit
        self.masksFolder = masksFolder
    }

    /// Makes the mask of each frame of `clip` and compares it.
    ///
    /// - Throws: `MediaError` where the clip can't be read or a mask can't be written, `VisionError` where a model is missing,
    ///   `BenchmarkError` where the alpha doesn't belong to the video.
    public func evaluate(_ method: Method, on clip: Clip) throws -> Evaluation {
        let reader = try ClipReader(clip, limit: limit)
        let request = GeneratePersonSegmentationRequest(qualityLevel: method.level, models: method.models)
        let stream = reader.video.video
        let isTurned = stream.orientation.swapsAxes
        try request.prepare(
            width: isTurned ? stream.height : stream.width, height: isTurned ? stream.width : stream.height)
        let masks = try masksFolder.map {
            try MediaWriter(
                path: "\($0)/\(clip.name)_\(method.name).mkv", settings: EncoderSettings(codec: "ffv1"),
                reader: reader.video, overwrite: true)
        }

        var meter = MatteMeter(every: every)
        var stopwatch = Stopwatch()
        var worst: Evaluation.WorstFrame?
        while let sample = try reader.next() {
            let observation = try stopwatch.time { try request.perform(on: sample.frame) }
            var picture = sample.frame
            picture.pixelBuffer = observation.pixelBuffer
            picture.color = ColorDescription(range: .full)
            try masks?.write(.frame(picture))
            let (mask, truth) = (AlphaMatte(picture), AlphaMatte(sample.alpha))
            let index = meter.frameCount
            let mad = meter.add(mask, truth: truth)
            if mad > worst?.mad ?? -1 {
                worst = .init(index: index, mad: mad, frame: sample.frame, truth: truth, mask: mask)
            }
        }
        try masks?.finish()
        // A reader has one frame at least, or it can't be made.
        return Evaluation(
            clip: clip.name, level: method.name, frames: meter.frameCount, width: stream.width,
            height: stream.height, scores: meter.scores!, milliseconds: stopwatch.medianMilliseconds,
            cpuMilliseconds: stopwatch.medianCPUMilliseconds, worst: worst!)
    }
}
