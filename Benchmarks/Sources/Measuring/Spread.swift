/// What several measurements of one thing say: their median, and how far they lie apart.
public struct Spread: Codable, Hashable, Sendable {
    /// How many measurements there were.
    public let count: Int
    public let lowest: Double
    public let lowerQuartile: Double
    public let median: Double
    public let upperQuartile: Double
    public let highest: Double

    /// The spread of `values`, one at least, in any order.
    ///
    /// A quantile between two values lies on the straight line between them, so that of 5 values the quartiles are the second
    /// and the fourth.
    public init(_ values: [Double]) {
        precondition(!values.isEmpty, "a spread of one value at least")
        let sorted = values.sorted()
        func quantile(_ part: Double) -> Double {
            let place = part * Double(sorted.count - 1)
            let below = Int(place)
            let above = min(below + 1, sorted.count - 1)
            return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
        }
        count = sorted.count
        lowest = sorted[0]
        lowerQuartile = quantile(0.25)
        median = quantile(0.5)
        upperQuartile = quantile(0.75)
        highest = sorted[sorted.count - 1]
    }
}

extension Spread {
    /// The spread with `change`, which keeps the order of values, done to each of its values.
    public func map(_ change: (Double) -> Double) -> Spread {
        Spread(
            count: count, lowest: change(lowest), lowerQuartile: change(lowerQuartile), median: change(median),
            upperQuartile: change(upperQuartile), highest: change(highest))
    }

    private init(
        count: Int, lowest: Double, lowerQuartile: Double, median: Double, upperQuartile: Double, highest: Double
    ) {
        self.count = count
        self.lowest = lowest
        self.lowerQuartile = lowerQuartile
        self.median = median
        self.upperQuartile = upperQuartile
        self.highest = highest
    }
}
