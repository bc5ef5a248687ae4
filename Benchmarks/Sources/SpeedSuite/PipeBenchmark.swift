import CLinux
import Foundation
import MatteVision
import Measuring

/// Measures raw frames in and out through pipes, beside `cat`, which shows what the pipes themselves allow.
public struct PipeBenchmark {
    private static let frameCount = 300
    static let cat = "cat"
    static let measure = "frames per second"
    static let measureOfOneColor = "frames per second, one colour"

    private let program: String
    private let frames: RawFrames

    /// Takes frames of `video` at 1920x1080.
    ///
    /// - Throws: `BenchmarkError` where they can't be decoded.
    public init(program: String, video: String, folder: WorkingFolder) throws {
        self.program = program
        frames = try RawFrames(of: video, width: 1920, height: 1080, frameCount: 60, in: folder)
    }

    /// Frames a second of `cat`, and of each level with a colour that follows the head and with one colour.
    ///
    /// - Throws: `BenchmarkError` where a program can't be run or fails.
    public func figures(_ rounds: Rounds) throws -> [Figure] {
        var jobs = [(Self.cat, Self.measure, ExternalCommand("cat"), ["-"])]
        for level in QualityLevel.allCases.map(\.rawValue) {
            let arguments = ["--quiet", "--quality", level] + frames.arguments
            let command = ExternalCommand(program)
            jobs.append((level, Self.measure, command, arguments + ["-", "-"]))
            jobs.append((level, Self.measureOfOneColor, command, arguments + ["--background", "#808080", "-", "-"]))
        }
        let rates = try rounds.results(of: jobs) { try framesPerSecond(of: $0.2, $0.3) }
        let size = "\(frames.width)x\(frames.height)"
        return zip(jobs, rates).map { job, rates in
            Figure(.init(.pipes, size, job.0, job.1), better: .more, rates)
        }
    }

    private func framesPerSecond(of command: ExternalCommand, _ arguments: [String]) throws -> Double {
        let (input, output) = (try DescriptorPipe(capacity: 1 << 20), try DescriptorPipe(capacity: 1 << 20))
        let file = open(frames.path, O_RDONLY | O_CLOEXEC)
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer {
            close(file)
            close(nowhere)
        }
        let running = try command.start(arguments, input: input.readEnd, output: output.writeEnd)
        input.closeReadEnd()
        output.closeWriteEnd()
        let threads = DispatchGroup()
        let frames = frames
        DispatchQueue(label: "feed").async(group: threads) {
            for index in 0..<Self.frameCount where !frames.feed(index, from: file, to: input.writeEnd) { break }
            input.closeWriteEnd()
        }
        DispatchQueue(label: "drain").async(group: threads) {
            while true {
                let count = linux_splice(output.readEnd, nil, nowhere, 1 << 20)
                if count == 0 || (count < 0 && errno != EINTR) { break }
            }
        }
        let outcome = Result { try running.finish() }
        threads.wait()
        return Double(Self.frameCount) / (try outcome.get().seconds)
    }
}
