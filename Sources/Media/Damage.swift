/// What of a video could not be read as it was meant.
public struct Damage: Sendable, Hashable {
    /// An input that ends too early.
    public struct MissingEnd: Sendable, Hashable {
        /// Seconds that are there.
        public var found: Double
        /// Seconds that the header tells.
        public var told: Double
    }

    /// Packets that gave no frame, and places where the container could not be read.
    public var packetCount = 0
    /// Frames that came out with parts made up from their neighbours, as far as was known when they came; a decoder with several
    /// threads may learn of some too late.
    public var concealedFrameCount = 0
    /// Where the first of these lies, in seconds after the file's beginning; nil before the first frame or where there is none.
    public var firstTime: Double?
    /// How much is missing at the end; nil where nothing is, or where the header tells no length.
    public var missingEnd: MissingEnd?

    /// Whether there is any.
    public var isNone: Bool { packetCount == 0 && concealedFrameCount == 0 && missingEnd == nil }
}
