/// What of a video could not be read as it was meant.
public struct Damage: Sendable, Hashable {
    /// An input that ends too early.
    public struct MissingEnd: Sendable, Hashable {
        /// Seconds that are there.
        public var found: Double
        /// Seconds that the header tells.
        public var told: Double
    }

    /// Packets that gave no frame or could not be copied, and places where the container could not be read.
    public var packetCount = 0
    /// Frames that came out with parts made up from their neighbours, as far as the decoder tells of them.
    public var concealedFrameCount = 0
    /// Where the first of these lies, in seconds after the file's beginning; nil before the first frame or where there is none.
    public var firstTime: Double?
    /// How much is missing at the end; nil where nothing is, or where the header tells no length.
    public var missingEnd: MissingEnd?

    /// None, but for what is told.
    public init(
        packetCount: Int = 0, concealedFrameCount: Int = 0, firstTime: Double? = nil, missingEnd: MissingEnd? = nil
    ) {
        (self.packetCount, self.concealedFrameCount) = (packetCount, concealedFrameCount)
        (self.firstTime, self.missingEnd) = (firstTime, missingEnd)
    }

    /// Remembers where damage lies, in seconds, before it is counted; nil before the first frame.
    mutating func note(at time: Double?) { if isNone { firstTime = time } }

    /// Whether there is any.
    public var isNone: Bool { packetCount == 0 && concealedFrameCount == 0 && missingEnd == nil }

    /// What is in either.
    public static func + (one: Damage, other: Damage) -> Damage {
        if one.isNone { return other }
        if other.isNone { return one }
        var sum = one
        sum.packetCount += other.packetCount
        sum.concealedFrameCount += other.concealedFrameCount
        // nil comes before all times.
        sum.firstTime = one.firstTime.flatMap { time in other.firstTime.map { min(time, $0) } }
        sum.missingEnd = one.missingEnd ?? other.missingEnd
        return sum
    }

    /// Where the first of these lies, as the end of a sentence that begins with what is damaged.
    var place: String {
        firstTime.map { "is damaged at \(Self.text($0)) s" } ?? "is damaged before its first frame"
    }

    /// Seconds to a thousandth.
    static func text(_ seconds: Double) -> String { String(describing: (seconds * 1000).rounded() / 1000) }
}
