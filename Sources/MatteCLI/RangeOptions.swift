import ArgumentParser

/// Which part of the input is read.
///
/// Options that take numbers take the next word as it is: one below zero is refused for what it is, not taken for an option.
struct RangeOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Begin this long after the input's beginning, in seconds or [hours:]minutes:seconds.", valueName: "time"))
    var start: TimeArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after this time.", valueName: "time"))
    var duration: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Take in this much before --start, for the mask and whatever else follows the people to settle; it is not written.",
            valueName: "time"))
    var runIn: TimeArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after this many frames.", valueName: "frames"))
    var limit: Int?

    func validate() throws {
        if runIn != nil, start == nil { throw ValidationError("--run-in needs --start") }
        if let limit, limit < 1 { throw ValidationError("--limit takes a number of frames from 1 up") }
        if let duration, duration.seconds <= 0 { throw ValidationError("--duration takes a time above 0") }
    }
}

/// A time as FFmpeg writes it: `90`, `1:30`, `0:01:30.5`.
struct TimeArgument: ExpressibleByArgument, Equatable {
    let seconds: Double

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            guard let value = Double(part), value.isFinite, value >= 0,
                part.allSatisfy({ $0.isNumber || (isLast && $0 == ".") }),
                index == 0 || value < 60
            else { return nil }
            seconds = seconds * 60 + value
        }
        guard seconds.isFinite else { return nil }
        self.seconds = seconds
    }
}
