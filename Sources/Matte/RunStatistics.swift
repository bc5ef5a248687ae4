import Glibc
import Media

/// Where the time of a run went.
public struct RunStatistics: Sendable {
    /// Reading and decoding a frame; not noted of live runs, which wait for it.
    public var reading = TimeDistribution()
    /// Finding the people and faces in a frame: the networks' work.
    public var matting = TimeDistribution()
    /// Fitting a frame's mask to its pixels.
    public var refining = TimeDistribution()
    /// Putting a frame's picture together.
    public var compositing = TimeDistribution()
    /// Encoding and writing a frame.
    public var writing = TimeDistribution()
    /// From the moment when a frame had been read and decoded until it was written; noted of live runs alone.
    public var latency = TimeDistribution()
    /// Frames that were passed over because a newer one had come.
    public var droppedCount = 0
    /// Seconds from beginning to end.
    public var duration = 0.0

    /// Of a run that has not begun.
    public init() {}

    /// Frames that came out.
    public var frameCount: Int { writing.count }

    /// Seconds that all cores together have worked for the process so far.
    package static var processorTime: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) * 1e-6 }
    }

    /// Several lines for people to read, with what the process has used, of its ``processorTime`` all since it was `before`.
    package func report(since before: Double = 0) -> String {
        let frames = frameCount == 1 ? "frame" : "frames"
        var lines = ["\(frameCount) \(frames) in \(duration.fixed(1)) s, \(rate.fixed(1)) a second"]
        if latency.count > 0 {
            let share = 100 * Double(droppedCount) / Double(max(1, frameCount + droppedCount))
            lines[0] += ", \(droppedCount) dropped (\(share.fixed(1)) %)"
            lines.append(line("latency", latency) + "   (frame read to frame written)")
        } else {
            lines.append(line("reading", reading))
        }
        lines.append(line("matting", matting))
        lines.append(line("refining", refining))
        lines.append(line("compositing", compositing))
        lines.append(line("writing", writing))
        let each = (Self.processorTime - before) / Double(max(1, frameCount))
        lines.append(
            "  processor \((each * 1000).fixed(1)) ms a frame, start included; memory \(Self.peakMemory) MiB at most")
        return lines.joined(separator: "\n")
    }

    /// One line for programs to read: names and numbers, times in milliseconds.
    public var summary: String {
        "frames=\(frameCount) dropped=\(droppedCount) seconds=\(duration.fixed(1)) "
            + "latency_p50=\(milliseconds(latency.percentile(0.5))) latency_p99=\(milliseconds(latency.percentile(0.99)))"
    }

    /// The most memory that the process ever had in use, in MiB (proc(5), VmHWM); 0 where the system does not tell.
    private static var peakMemory: Int {
        let line = LocalFile.lines(of: "/proc/self/status").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        return (kibibytes ?? 0) / 1024
    }

    private var rate: Double { Double(frameCount) / max(duration, 1e-3) }

    private func line(_ name: String, _ times: TimeDistribution) -> String {
        "  \(name)  \(times)"
    }

    private func milliseconds(_ seconds: Double) -> String { (seconds * 1000).fixed(1) }
}
