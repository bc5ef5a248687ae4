import Foundation
import Media

/// Measures how fast the built program turns one video into another.
public struct ProgramBenchmark {
    private let program: String
    private let video: String
    private let frameCount: Int
    private let output: String

    /// Measures `program` on `video`; the videos that it makes lie in `folder`.
    ///
    /// - Throws: `MediaError` where the video can't be read, `QualityError` where it doesn't tell how many frames it has or
    ///   where the program isn't there.
    public init(program: String, video: String, folder: WorkingFolder) throws {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw QualityError("can't run '\(program)': it is not there; run 'make build' or name another program")
        }
        guard let frameCount = try MediaReader(path: video).video.frameCount else {
            throw QualityError("can't measure with '\(video)': it doesn't tell how many frames it has; name an MP4")
        }
        self.program = program
        self.video = video
        self.frameCount = frameCount
        output = folder.path("out-\(UUID().uuidString).mp4")
    }

    /// Frames a second, the program's start counted, with each list of further arguments: the medians over `rounds`.
    ///
    /// - Throws: `QualityError` where the program can't be run or fails.
    public func framesPerSecond(with argumentLists: [[String]], _ rounds: Rounds) throws -> [Double] {
        try rounds.medians(of: argumentLists) { arguments in
            var stopwatch = Stopwatch()
            try stopwatch.time {
                try ExternalCommand(program).run(arguments + ["--quiet", "--overwrite", video, output])
            }
            return Double(frameCount) / (stopwatch.medianMilliseconds / 1000)
        }
    }
}
