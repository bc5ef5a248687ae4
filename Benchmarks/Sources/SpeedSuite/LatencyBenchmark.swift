import Foundation
import Glibc
import MatteVision
import Measuring
import Synchronization

/// Measures how old live frames are when they come out: raw 720p frames go in through a pipe at 30 a second and come out
/// through another.
///
/// From outside the time runs from the moment when the last byte of a frame has been written to the one when the last byte of
/// its picture has been read; the program's own account runs from frame read to frame written. Which frames were dropped can't
/// be seen from outside, so a run that drops any has the program's account alone.
public struct LatencyBenchmark {
    private static let frameCount = 300
    private static let rate = 30.0
    // While networks and memory warm up.
    private static let warmUp = 60

    private let program: String
    private let frames: RawFrames

    /// Takes frames of `video` at 1280x720.
    ///
    /// - Throws: `BenchmarkError` where they can't be decoded.
    public init(program: String, video: String, folder: WorkingFolder) throws {
        self.program = program
        frames = try RawFrames(of: video, width: 1280, height: 720, frameCount: 60, in: folder)
    }

    /// The percentiles of each level; every round is a run of ten seconds.
    ///
    /// - Throws: `BenchmarkError` where a program can't be run or fails.
    public func figures(_ rounds: Rounds) throws -> [Figure] {
        let levels = QualityLevel.allCases.map(\.rawValue)
        let runs = try rounds.results(of: levels, run)
        let size = "\(frames.width)x\(frames.height)"
        return zip(levels, runs).flatMap { level, runs in
            let measures: [(String, (Run) -> Double?)] = [
                ("p50 ms", { $0.percentile(0.5) }), ("p90 ms", { $0.percentile(0.9) }),
                ("p99 ms", { $0.percentile(0.99) }), ("dropped per cent", { $0.droppedPercent }),
                ("p50 ms, the program's account", { $0.own.p50 }), ("p99 ms, the program's account", { $0.own.p99 }),
            ]
            return measures.compactMap { measure, value in
                let values = runs.compactMap(value)
                return values.isEmpty
                    ? nil : Figure(.init(.latency, size, level, measure), better: .less, values)
            }
        }
    }

    private struct Run {
        /// Milliseconds of each frame, in rising order; empty where some were dropped.
        let latencies: [Double]
        let droppedPercent: Double
        let own: ProgramLatency

        func percentile(_ part: Double) -> Double? {
            latencies.isEmpty ? nil : latencies[min(latencies.count - 1, Int(part * Double(latencies.count)))]
        }
    }

    private func run(_ level: String) throws -> Run {
        let (input, output) = (try DescriptorPipe(capacity: 1 << 20), try DescriptorPipe(capacity: 1 << 20))
        let file = open(frames.path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let running = try ExternalCommand(program).start(
            ["--live", "--stats", "--quality", level] + frames.arguments + ["-", "-"], input: input.readEnd,
            output: output.writeEnd)
        input.closeReadEnd()
        output.closeWriteEnd()
        let (entered, left) = (Moments(), Moments())
        let threads = DispatchGroup()
        let frames = frames
        DispatchQueue(label: "feed").async(group: threads) {
            Self.feed(frames, from: file, input, entered, until: left)
        }
        DispatchQueue(label: "drain").async(group: threads) {
            Self.drain(output, frameBytes: frames.bytesPerFrame, left)
            left.isDone.store(true, ordering: .relaxed)
        }
        let outcome = Result { try running.finish() }
        threads.wait()
        return try Self.judge(entered.all, left.all, outcome.get().messages)
    }

    /// When frames passed.
    private final class Moments: Sendable {
        private let seconds = Mutex<[Double]>([])
        let isDone = Atomic(false)

        func note() { seconds.withLock { $0.append(Stopwatch.seconds) } }
        var all: [Double] { seconds.withLock { $0 } }
    }

    // The clock starts when the first frame is out, so that loading the networks counts for nothing.
    private static func feed(
        _ frames: RawFrames, from file: CInt, _ target: DescriptorPipe, _ entered: Moments, until left: Moments
    ) {
        defer { target.closeWriteEnd() }
        var start = 0.0
        for index in 0..<frameCount {
            if index == 1 {
                while left.all.isEmpty, !left.isDone.load(ordering: .relaxed) { usleep(1000) }
                start = Stopwatch.seconds
            }
            let wait = index == 0 ? 0 : start + Double(index) / rate - Stopwatch.seconds
            if wait > 0 { usleep(UInt32(wait * 1e6)) }
            guard frames.feed(index, from: file, to: target.writeEnd) else { return }
            entered.note()
        }
    }

    private static func drain(_ source: DescriptorPipe, frameBytes: Int, _ left: Moments) {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var missing = frameBytes
        while true {
            let count = read(source.readEnd, &buffer, min(missing, buffer.count))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            missing -= count
            if missing == 0 {
                left.note()
                missing = frameBytes
            }
        }
    }

    private static func judge(_ entered: [Double], _ left: [Double], _ messages: String) throws -> Run {
        guard let own = ProgramLatency(messages) else {
            throw BenchmarkError("can't tell the latency: the program ended without saying it")
        }
        let dropped = 100 * Double(entered.count - left.count) / Double(max(1, entered.count))
        guard entered.count == left.count else { return Run(latencies: [], droppedPercent: dropped, own: own) }
        let latencies = zip(entered, left).dropFirst(warmUp).map { ($1 - $0) * 1000 }
        return Run(latencies: latencies.sorted(), droppedPercent: dropped, own: own)
    }
}
