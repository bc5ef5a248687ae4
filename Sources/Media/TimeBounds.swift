import CFFmpeg

/// The times that a file or a user may tell: sums of those within do not overflow, and what lies beyond is a mistake.
enum TimeBounds {
    /// Seconds from 0, about 272 years.
    private static let farthest = 8_589_934_592.0
    /// Seconds that one packet may last, about 12 days.
    private static let longest = 1_048_576.0
    /// Units of any time base.
    static let largest: Int64 = 1 << 60

    /// Whether a time stamp in units of `timeBase` is one that can be meant.
    static func holdsTime(_ time: Int64, _ timeBase: AVRational) -> Bool {
        (-largest...largest).contains(time) && abs(Double(time) * av_q2d(timeBase)) <= farthest
    }

    /// Whether a packet's duration in units of `timeBase` is one that can be meant.
    static func holdsDuration(_ duration: Int64, _ timeBase: AVRational) -> Bool {
        (0...largest).contains(duration) && Double(duration) * av_q2d(timeBase) <= longest
    }

    /// The time in units of `timeBase`; 0 for one that can't be meant.
    static func units(microseconds: Int64, _ timeBase: AVRational) -> Int64 {
        let unit = AVRational(num: 1, den: 1_000_000)
        return holdsTime(microseconds, unit) ? av_rescale_q(microseconds, unit, timeBase) : 0
    }

    /// The time in units of another time base; nil where those can't tell it.
    static func rescaled(_ time: Int64, from timeBase: AVRational, to other: AVRational) -> Int64? {
        let time = av_rescale_q(time, timeBase, other)
        return holdsTime(time, other) ? time : nil
    }

    /// The nearest time in units of `timeBase` to so many seconds, or the farthest one in their direction.
    static func units(_ seconds: Double, _ timeBase: AVRational) -> Int64 {
        let units = (max(-farthest, min(seconds, farthest)) / av_q2d(timeBase)).rounded()
        return Int64(max(-Double(largest), min(units, Double(largest))))
    }
}

extension Packet {
    /// Forgets time stamps and a duration that can't be meant, as a damaged file tells them.
    func dropImpossibleTimes() {
        let packet = pointer
        let timeBase = packet.pointee.time_base
        if let pts, !TimeBounds.holdsTime(pts, timeBase) { packet.pointee.pts = FFNoTimestamp }
        if let dts, !TimeBounds.holdsTime(dts, timeBase) { packet.pointee.dts = FFNoTimestamp }
        if !TimeBounds.holdsDuration(duration, timeBase) { packet.pointee.duration = 0 }
    }
}

extension FrameReference {
    /// The presentation time in units of `timeBase` as FFmpeg guesses it; nil where there is none that can be meant.
    func time(_ timeBase: AVRational) -> Int64? {
        let time = pointer.pointee.best_effort_timestamp
        return time != FFNoTimestamp && TimeBounds.holdsTime(time, timeBase) ? time : nil
    }

    /// How long it is shown in units of `timeBase`; 0 where that is not told or can't be meant.
    func duration(_ timeBase: AVRational) -> Int64 {
        let duration = FFFrameGetDuration(pointer)
        return TimeBounds.holdsDuration(duration, timeBase) ? duration : 0
    }
}
