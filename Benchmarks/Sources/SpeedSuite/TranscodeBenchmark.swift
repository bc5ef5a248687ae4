import Foundation
import MatteVision
import Measuring

typealias QualityLevel = GeneratePersonSegmentationRequest.QualityLevel

/// Measures the whole program beside plain `ffmpeg` and beside the Python program, all with the same encoder and settings.
///
/// All have their turns in the same rounds, and ratios are taken within a round. The start of the program counts, save that
/// of the Python program. `matte` does at each level what it does by default, with a colour that follows the head, and with one
/// colour what the Python program does.
public struct TranscodeBenchmark {
    /// How H.264 is made in all of them.
    static let encoder = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "18"]
    static let matteEncoder = ["--codec", "libx264", "--preset", "veryfast", "--crf", "18"]
    static let ffmpeg = "ffmpeg"
    static let peer = "Python with MediaPipe"
    /// What `matte` is measured as: each level, and each level with one colour.
    static let ways = QualityLevel.allCases.flatMap { [$0.rawValue, withOneColor($0.rawValue)] }

    static func withOneColor(_ level: String) -> String { "\(level), one colour" }

    private let program: String
    private let peer: Peer?

    /// Measures `program`, and `peer` if there is one.
    public init(program: String, peer: Peer?) {
        self.program = program
        self.peer = peer
    }

    /// A figure for each program, level and measure on `clip`; `parts` may be `program`, `peer` or both.
    ///
    /// - Throws: `BenchmarkError` where a program can't be run or fails.
    public func figures(on clip: SpeedClip, parts: Set<Part>, _ rounds: Rounds, _ folder: WorkingFolder) throws
        -> [Figure]
    {
        let benchmark = try ProgramBenchmark(video: clip.path, folder: folder)
        var jobs: [(String, ProgramBenchmark.Job)] = []
        for level in QualityLevel.allCases.map(\.rawValue) {
            let arguments = ["--quality", level] + Self.matteEncoder
            let oneColor = arguments + ["--background", "#808080"]
            if parts.contains(.program) { jobs.append((level, try .init(matte: program, arguments))) }
            jobs.append((Self.withOneColor(level), try .init(matte: program, oneColor)))
        }
        if parts.contains(.program) { jobs.insert((Self.ffmpeg, Self.ffmpegJob), at: 0) }
        if parts.contains(.peer), let peer { jobs.append((Self.peer, peer.job)) }
        // Instead of a round to warm up: nobody is to wait for the disk.
        _ = try Data(contentsOf: URL(filePath: clip.path))
        let outcomes = try benchmark.outcomes(of: jobs.map(\.1), rounds)
        let results = Dictionary(uniqueKeysWithValues: zip(jobs.map(\.0), outcomes))
        let frames = benchmark.frameCount
        return Self.programFigures(results, clip, frames) + (try Self.peerFigures(results, clip, frames))
    }

    private static var ffmpegJob: ProgramBenchmark.Job {
        ProgramBenchmark.Job(ExternalCommand(ffmpeg)) {
            ["-v", "error", "-nostdin", "-y", "-i", $0, "-map", "0:v:0"] + encoder + [$1]
        }
    }

    private static func programFigures(
        _ results: [String: [CommandOutcome]], _ clip: SpeedClip, _ frames: Int
    ) -> [Figure] {
        guard let plain = results[ffmpeg] else { return [] }
        var figures: [Figure] = []
        for subject in [ffmpeg] + ways {
            let outcomes = results[subject]!
            func add(_ measure: String, _ better: Figure.Direction, travels: Bool = false, _ values: [Double]) {
                figures.append(
                    Figure(.init(.program, clip.name, subject, measure), better: better, travels: travels, values))
            }
            add("frames per second", .more, outcomes.map { Double(frames) / $0.seconds })
            add("CPU ms per frame", .less, outcomes.map { $0.cpuSeconds * 1000 / Double(frames) })
            add("peak memory in MB", .less, outcomes.map { Double($0.peakMemory) / 1e6 })
            guard subject != ffmpeg else { continue }
            add("of ffmpeg's rate", .more, travels: true, zip(plain, outcomes).map { $0.seconds / $1.seconds })
            add(
                "of ffmpeg's CPU time", .less, travels: true,
                zip(plain, outcomes).map { $1.cpuSeconds / $0.cpuSeconds })
        }
        return figures
    }

    private static func peerFigures(
        _ results: [String: [CommandOutcome]], _ clip: SpeedClip, _ frames: Int
    ) throws -> [Figure] {
        guard let outcomes = results[peer] else { return [] }
        let rates = try outcomes.map { outcome in
            guard let rate = Peer.framesPerSecond(outcome.messages) else {
                throw BenchmarkError("can't tell how fast the Python program is: it ended without saying so")
            }
            return rate
        }
        func figure(_ subject: String, _ measure: String, travels: Bool = false, _ values: [Double]) -> Figure {
            Figure(.init(.peer, clip.name, subject, measure), better: .more, travels: travels, values)
        }
        var figures = [
            figure(peer, "frames per second", rates),
            Figure(
                .init(.peer, clip.name, peer, "peak memory in MB"), better: .less,
                outcomes.map { Double($0.peakMemory) / 1e6 }),
        ]
        for level in QualityLevel.allCases.map(\.rawValue) {
            let way = withOneColor(level)
            let own = results[way]!.map { Double(frames) / $0.seconds }
            figures.append(
                figure(way, "times the Python program's rate", travels: true, zip(own, rates).map { $0 / $1 }))
        }
        return figures
    }
}
