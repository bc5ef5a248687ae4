/// How long something took, many times over: a histogram, so that its memory does not grow.
public struct TimeDistribution: Sendable {
    /// Tenths of a millisecond up to two seconds; the last counts all that took longer.
    private static let resolution = 1e-4
    private var counts = [UInt32](repeating: 0, count: 20_001)
    /// How many times were noted.
    public private(set) var count = 0
    /// The longest in seconds.
    public private(set) var maximum = 0.0

    /// No times yet.
    public init() {}

    /// Notes a time in seconds.
    mutating func note(_ seconds: Double) {
        let bucket = min((max(0, seconds) / Self.resolution).rounded(), Double(counts.count - 1))
        counts[Int(bucket)] += 1
        count += 1
        maximum = max(maximum, seconds)
    }

    /// The time in seconds, to a tenth of a millisecond, that `part` of all (0…1) did not exceed; 0 where none was noted.
    public func percentile(_ part: Double) -> Double {
        let rank = max(1, Int((min(max(0, part), 1) * Double(count)).rounded(.up)))
        var seen = 0
        for (bucket, number) in counts.enumerated() {
            seen += Int(number)
            if seen >= rank { return bucket == counts.count - 1 ? maximum : Double(bucket) * Self.resolution }
        }
        return 0
    }
}

extension TimeDistribution: CustomStringConvertible {
    /// The median, the time that 99 of 100 did not exceed, and the longest, in milliseconds.
    public var description: String {
        [("p50", percentile(0.5)), ("p99", percentile(0.99)), ("max", maximum)]
            .map { "\($0) \(($1 * 1000).fixed(1)) ms" }.joined(separator: "  ")
    }
}
