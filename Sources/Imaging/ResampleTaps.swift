/// For each sample of a resampled axis: which source samples count, and how much.
///
/// Shrinking takes the mean over the area that a target sample covers, enlarging interpolates linearly; sample centres are
/// aligned. Samples beyond an edge repeat the edge.
struct ResampleTaps: Equatable {
    /// Weights are counted in as many parts: the weighted sum of 8-bit samples fits 16 bits.
    static let parts = 256

    /// The first source sample of each target sample; it and the `tapCount - 1` after it lie inside the source.
    let starts: [Int]
    /// `tapCount` weights for each target sample, multiples of `1 / parts` that add up to exactly 1.
    let weights: [Float]
    let tapCount: Int

    /// Maps `count` target samples onto `origin ..< origin + length` of a source with `limit` samples.
    init(origin: Double, length: Double, count: Int, limit: Int) {
        let scale = length / Double(count)
        // How far from its centre a target sample reaches: half its own width and half a source sample's.
        let support = max(scale, 1) / 2 + 0.5
        let room = min(limit, Int((2 * support).rounded(.up)) + 1)
        var (starts, shares) = ([Int](repeating: 0, count: count), [Int](repeating: 0, count: count * room))
        var longest = 1
        for target in 0..<count {
            let center = origin + (Double(target) + 0.5) * scale - 0.5
            let low = Int((center - support).rounded(.down)) + 1
            let high = max(low, Int((center + support).rounded(.up)) - 1)
            func weight(_ source: Int) -> Double { max(0, min(1, support - abs(Double(source) - center))) }
            var (total, sum, given) = (0.0, 0.0, 0)
            for source in low...high { total += weight(source) }
            var (first, used) = (-1, 1)
            for source in low...high {
                sum += weight(source)
                // The running sum is rounded, so that nothing is lost; halves to even, so that both directions are alike.
                let due = Int((sum / total * Double(Self.parts)).rounded(.toNearestOrEven))
                if due == given { continue }
                let inside = max(0, min(source, limit - 1))
                if first < 0 { first = inside }
                shares[target * room + inside - first] += due - given
                used = inside - first + 1
                given = due
            }
            starts[target] = first
            longest = max(longest, used)
        }
        tapCount = longest
        var weights = [Float](repeating: 0, count: count * longest)
        for target in 0..<count {
            let start = min(starts[target], limit - longest)
            let offset = target * longest + starts[target] - start
            for tap in 0..<(longest - starts[target] + start) {
                weights[offset + tap] = Float(shares[target * room + tap]) / Float(Self.parts)
            }
            starts[target] = start
        }
        self.starts = starts
        self.weights = weights
    }
}
