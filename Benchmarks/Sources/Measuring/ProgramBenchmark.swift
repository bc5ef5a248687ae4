import Foundation
import Media

/// Measures programs that turn one video into another, side by side.
public struct ProgramBenchmark {
    /// A program, and how it is told what to do.
    public struct Job: Sendable {
        let command: ExternalCommand
        let arguments: @Sendable (_ input: String, _ output: String) -> [String]

        /// `arguments` gets the paths of the video to read and of the one to write, which may be there already.
        public init(
            _ command: ExternalCommand, arguments: @escaping @Sendable (_ input: String, _ output: String) -> [String]
        ) {
            self.command = command
            self.arguments = arguments
        }

        /// The built program `matte` with further arguments.
        ///
        /// - Throws: `BenchmarkError` where the program isn't there.
        public init(matte program: String, _ arguments: [String]) throws {
            guard FileManager.default.isExecutableFile(atPath: program) else {
                throw BenchmarkError(
                    "can't run '\(program)': it is not there; run 'make build' or name another program")
            }
            self.init(ExternalCommand(program)) { arguments + ["--quiet", "--overwrite", $0, $1] }
        }
    }

    /// How many frames the video has.
    public let frameCount: Int
    private let video: String
    private let output: String

    /// Measures on `video`; the videos that are made lie in `folder`.
    ///
    /// - Throws: `MediaError` where the video can't be read, `BenchmarkError` where it doesn't tell how many frames it has.
    public init(video: String, folder: WorkingFolder) throws {
        guard let frameCount = try MediaReader(path: video).video.frameCount else {
            throw BenchmarkError("can't measure with '\(video)': it doesn't tell how many frames it has; name an MP4")
        }
        self.frameCount = frameCount
        self.video = video
        output = folder.path("out-\(UUID().uuidString).mp4")
    }

    /// Does `job` once.
    ///
    /// - Throws: `BenchmarkError` where the program can't be run or fails.
    public func run(_ job: Job) throws -> CommandOutcome {
        try job.command.run(job.arguments(video, output))
    }

    /// What each of `jobs` used in each of `rounds`.
    ///
    /// - Throws: `BenchmarkError` where a program can't be run or fails.
    public func outcomes(of jobs: [Job], _ rounds: Rounds) throws -> [[CommandOutcome]] {
        try rounds.results(of: jobs, run)
    }

    /// Frames a second of each of `jobs`, the program's start counted: the medians over `rounds`.
    ///
    /// - Throws: `BenchmarkError` where a program can't be run or fails.
    public func framesPerSecond(of jobs: [Job], _ rounds: Rounds) throws -> [Double] {
        try outcomes(of: jobs, rounds).map { outcomes in
            Spread(outcomes.map { Double(frameCount) / $0.seconds }).median
        }
    }
}
