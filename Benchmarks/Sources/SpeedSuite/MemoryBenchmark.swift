import Foundation
import MatteVision
import Measuring

/// Measures the most memory that the program has in use, for a 1080p clip and for ten times its length.
public struct MemoryBenchmark {
    private static let frameCount = 96
    private static let factor = 10
    static let size = "1920x1080"

    private let program: String
    private let short: ProgramBenchmark
    private let long: ProgramBenchmark

    /// Takes the first frames of `video` at 1920x1080.
    ///
    /// - Throws: `BenchmarkError` where `ffmpeg` can't be run or fails.
    public init(program: String, video: String, folder: WorkingFolder) throws {
        self.program = program
        let short = try EnlargedVideo(
            of: video, width: 1920, height: 1080, times: 1, frameCount: Self.frameCount, name: "short.mp4", in: folder)
        let long = folder.path("long.mp4")
        try ExternalCommand("ffmpeg").run([
            "-v", "error", "-nostdin", "-y", "-stream_loop", String(Self.factor - 1), "-i", short.path, "-c", "copy",
            long,
        ])
        self.short = try ProgramBenchmark(video: short.path, folder: folder)
        self.long = try ProgramBenchmark(video: long, folder: folder)
    }

    /// The peak of each level and its growth over ten times the length, of one run each.
    ///
    /// - Throws: `BenchmarkError` where a program can't be run or fails.
    public func figures() throws -> [Figure] {
        try QualityLevel.allCases.map(\.rawValue).flatMap { level in
            let job = try ProgramBenchmark.Job(
                matte: program, ["--quality", level] + TranscodeBenchmark.matteEncoder)
            let peaks = try [short, long].map { Double(try $0.run(job).peakMemory) }
            func figure(_ measure: String, travels: Bool = false, _ value: Double) -> Figure {
                Figure(.init(.memory, Self.size, level, measure), better: .less, travels: travels, [value])
            }
            return [
                figure("MB for \(short.frameCount) frames", peaks[0] / 1e6),
                figure("MB for ten times as many", peaks[1] / 1e6),
                figure("growth over ten times the length", travels: true, peaks[1] / peaks[0]),
            ]
        }
    }
}
