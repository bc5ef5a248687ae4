/// Notices when frames come faster than they can be made.
struct LoadMonitor {
    /// How long a look lasts, in seconds: short disturbances pass within it.
    private static let window = 5.0
    /// The share of frames whose loss is no matter.
    private static let tolerance = 0.05

    private var start: Double?
    private var arrived = 0
    private var dropped = 0

    /// What a look of some seconds has shown.
    struct Overload: Equatable {
        /// Frames a second that came.
        let arriving: Double
        /// Frames a second that were made.
        let made: Double
    }

    /// Notes a frame that is made at `time` seconds, with those that were dropped for it; tells of an overload once a look is over.
    mutating func note(dropped count: Int, at time: Double) -> Overload? {
        let begin = start ?? time
        start = begin
        arrived += 1 + count
        dropped += count
        let length = time - begin
        guard length >= Self.window else { return nil }
        defer { self = LoadMonitor() }
        guard Double(dropped) > Self.tolerance * Double(arrived) else { return nil }
        return Overload(arriving: Double(arrived) / length, made: Double(arrived - dropped) / length)
    }
}
