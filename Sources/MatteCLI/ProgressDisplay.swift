import Matte
import Media

/// Shows how far a run has come: a bar on a terminal, a line now and then elsewhere.
struct ProgressDisplay {
    private let console: Console
    /// Which of many files it is, such as "2 of 5".
    private let place: String?
    private let frameCount: Int?
    private let duration: Double?
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var next: ContinuousClock.Instant

    /// `isLive` tells that how much will come is nobody's knowledge; `place` is which of many files it is, such as "2 of 5".
    init(console: Console, video: VideoStreamDescription, isLive: Bool = false, place: String? = nil) {
        self.console = console
        self.place = place
        frameCount = isLive ? nil : video.frameCount
        duration = isLive ? nil : video.duration
        start = clock.now
        next = start + Self.interval(console)
    }

    private static func interval(_ console: Console) -> Duration {
        console.isTerminal ? .milliseconds(100) : .seconds(10)
    }

    mutating func show(_ progress: Pipeline.Progress) {
        guard console.verbosity >= .normal, clock.now >= next else { return }
        next = clock.now + Self.interval(console)
        let prefix = place.map { "\($0)  " } ?? ""
        if console.isTerminal {
            let width = console.width - 1
            // One that is wider than the terminal would leave a row behind each time.
            console.status(String((prefix + line(progress, width: width - prefix.count)).prefix(max(0, width))))
        } else {
            console.note(prefix + line(progress, width: nil))
        }
    }

    /// Says what became of the run; `output` is nil where it was only shown.
    func finish(_ summary: Pipeline.Summary, output: String?, damage: Damage, of input: String? = nil) {
        for warning in Self.warnings(of: damage) { console.warning(warning, of: input) }
        let progress = summary.progress
        if progress.frameCount == 0 {
            let how = summary.wasInterrupted ? "interrupted" : "ended"
            return console.note("\(how) before the first frame\(suffix); nothing was written")
        }
        let name = output.map { $0 == "-" ? "wrote standard output" : "wrote \($0)" } ?? "showed the result"
        let count = "\(progress.frameCount) frame\(progress.frameCount == 1 ? "" : "s")"
        let droppedCount = summary.statistics.droppedCount
        let dropped = droppedCount > 0 ? ", \(droppedCount) dropped" : ""
        console.note(
            "\(summary.wasInterrupted ? "interrupted; " : "")\(name)\(suffix): \(count) in \(text(elapsed)) s (\(text(rate(progress), 0)) fps)\(dropped)"
        )
    }

    private static func warnings(of damage: Damage) -> [String] {
        var warnings: [String] = []
        let counts = [
            (damage.packetCount, "packet", "could not be decoded"),
            (damage.concealedFrameCount, "frame", "or more had missing parts concealed"),
        ].filter { $0.0 > 0 }
        if !counts.isEmpty {
            let place = damage.firstTime.map { "first at \($0.fixed(3)) s" } ?? "before its first frame"
            let words = counts.map { "\($0) \($1)\($0 == 1 ? "" : "s") \($2)" }.joined(separator: ", ")
            warnings.append("the input is damaged, \(place): \(words)")
        }
        if let end = damage.missingEnd {
            warnings.append(
                "the input ends after \(end.found.fixed(1)) s, but its header tells \(end.told.fixed(1)) s: it may be cut short"
            )
        }
        return warnings
    }

    private var suffix: String { place.map { " (\($0))" } ?? "" }

    private var elapsed: Double { (clock.now - start).seconds }

    private func rate(_ progress: Pipeline.Progress) -> Double { Double(progress.frameCount) / max(elapsed, 1e-3) }

    private func line(_ progress: Pipeline.Progress, width: Int?) -> String {
        let done = fraction(progress)
        let frames = frameCount.map { "\(progress.frameCount)/\($0)" } ?? "\(progress.frameCount)"
        var words = "frame \(frames)  \(text(rate(progress), 0)) fps  \(text(progress.time / max(elapsed, 1e-3), 2))x"
        if let done, done > 0 { words += "  \(remaining(elapsed * (1 - done) / done)) left" }
        guard let done else { return words }
        let percent = "\(Int(done * 100))%"
        guard let width, width - words.count - percent.count - 6 >= 10 else { return "\(percent)  \(words)" }
        let columns = min(40, width - words.count - percent.count - 6)
        let filled = Int(done * Double(columns))
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: columns - filled)
        return "[\(bar)] \(percent)  \(words)"
    }

    private func fraction(_ progress: Pipeline.Progress) -> Double? {
        if let frameCount, frameCount > 0 { return min(1, Double(progress.frameCount) / Double(frameCount)) }
        if let duration, duration > 0 { return max(0, min(1, progress.time / duration)) }
        return nil
    }

    private func remaining(_ seconds: Double) -> String {
        // What a damaged file claims may be past all numbers.
        let whole = Int(min(seconds.rounded(.up), 1e9))
        let (minutes, rest) = (whole / 60 % 60, whole % 60)
        let tail = "\(minutes < 10 && whole >= 3600 ? "0" : "")\(minutes):\(rest < 10 ? "0" : "")\(rest)"
        return whole >= 3600 ? "\(whole / 3600):\(tail)" : tail
    }

    private func text(_ value: Double, _ digits: Int = 1) -> String { value.fixed(digits) }
}
