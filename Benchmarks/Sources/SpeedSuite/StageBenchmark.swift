import Compositing
import Imaging
import Matte
import MatteVision
import Measuring
import Media

/// Measures what each part of a frame's way costs, one after the other with one thread each: decoding, mask, faces,
/// compositing, encoding.
///
/// The program does these side by side; what counts here is CPU time, so the parts of a frame add up to what it costs in all.
public struct StageBenchmark {
    /// A part of a frame's way.
    public enum Stage: String, CaseIterable, Sendable {
        case decode, mask, faces, composite, encode

        /// What figures call it.
        var measure: String { "\(rawValue) ms" }
    }

    static let sizes = [(640, 360), (1280, 720), (1920, 1080), (3840, 2160)]
    // In a new scene the whole picture is searched first.
    private static let settlingCount = 2

    private let video: String
    private let folder: WorkingFolder
    private let models: ModelLibrary

    /// Takes the first frames of `video`, at every size.
    public init(video: String, models: String, folder: WorkingFolder) {
        self.video = video
        self.models = ModelLibrary(directory: models)
        self.folder = folder
    }

    /// The figures of every size and level.
    ///
    /// - Throws: `BenchmarkError` where a clip can't be made, `MediaError` where it can't be read or written, `VisionError`
    ///   where a model is missing.
    public func figures(_ rounds: Rounds) throws -> [Figure] {
        try Self.sizes.flatMap { try figures(width: $0, height: $1, rounds) }
    }

    private func figures(width: Int, height: Int, _ rounds: Rounds) throws -> [Figure] {
        // About as long for every size.
        let count = min(48, max(12, 48 * 1280 * 720 / (width * height)))
        let clip = try EnlargedVideo(
            of: video, width: width, height: height, times: 1, frameCount: count, name: "stages-\(height)p.mp4",
            in: folder)
        let levels = QualityLevel.allCases
        let walks = levels.map { Walk(level: $0, models: models) }
        let results = try rounds.results(of: walks) { walk in
            try walk.milliseconds(of: clip.path, output: folder.path("stages.mp4"), skipping: Self.settlingCount)
        }
        let size = "\(width)x\(height)"
        return zip(levels, results).flatMap { level, results in
            func figure(_ measure: String, travels: Bool = false, _ values: [Double]) -> Figure {
                Figure(.init(.stages, size, level.rawValue, measure), better: .less, travels: travels, values)
            }
            return Stage.allCases.map { stage in figure(stage.measure, results.map { $0[stage]! }) } + [
                figure("in all ms", results.map { $0.values.reduce(0, +) }),
                figure(
                    "matting for each ms of decoding and encoding", travels: true,
                    results.map { ($0[.mask]! + $0[.faces]! + $0[.composite]!) / ($0[.decode]! + $0[.encode]!) }),
            ]
        }
    }

    /// One level's way of frames, which keeps its networks from round to round.
    private final class Walk {
        private let segmentation: GeneratePersonSegmentationRequest
        private let faceRectangles: DetectFaceRectanglesRequest
        private let compositor = Compositor()

        init(level: QualityLevel, models: ModelLibrary) {
            segmentation = GeneratePersonSegmentationRequest(qualityLevel: level, models: models)
            faceRectangles = DetectFaceRectanglesRequest(models: models)
        }

        /// CPU milliseconds that each stage takes for a frame: the means, without the first `skipped` frames.
        func milliseconds(of video: String, output: String, skipping skipped: Int) throws -> [Stage: Double] {
            segmentation.reset()
            faceRectangles.reset()
            var watches = Dictionary(uniqueKeysWithValues: Stage.allCases.map { ($0, Stopwatch()) })
            func time<R>(_ stage: Stage, _ work: () throws -> R) rethrows -> R {
                try watches[stage]!.time(work)
            }
            // Which decodes the first frame.
            let reader = try time(.decode) { try MediaReader(path: video, options: .init(threads: 1)) }
            let settings = EncoderSettings(codec: "libx264", crf: 18, preset: "veryfast", threads: 1)
            let writer = try MediaWriter(path: output, settings: settings, reader: reader, overwrite: true)
            while let item = try time(.decode, { try reader.next() }) {
                guard case .frame(let frame) = item else { continue }
                let mask = try time(.mask) { try segmentation.perform(on: frame) }
                let faces = try time(.faces) { try faceRectangles.perform(on: frame) }
                let face = faces.first
                let color = PoseColor.all.color(
                    roll: face?.roll ?? 0, yaw: face?.yaw ?? 0, pitch: face?.pitch ?? 0)
                let result = time(.composite) {
                    compositor.composite(
                        frame, mask: mask.pixelBuffer, foreground: mask.foreground, over: .color(color))
                }
                try time(.encode) { try writer.write(.frame(result)) }
            }
            try time(.encode) { try writer.finish() }
            let count = watches[.mask]!.cpuMilliseconds.count
            return Dictionary(
                uniqueKeysWithValues: watches.map { stage, watch in
                    switch stage {
                    // The encoder's first and last calls open and drain it.
                    case .decode, .encode: (stage, watch.cpuMilliseconds.reduce(0, +) / Double(count))
                    default:
                        (stage, watch.cpuMilliseconds.dropFirst(skipped).reduce(0, +) / Double(count - skipped))
                    }
                })
        }
    }
}
