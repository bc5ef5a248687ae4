/// For each sample of a resampled axis: which source samples count, and how much.
///
/// Shrinking takes the mean over the area that a target sample covers, enlarging interpolates linearly; sample centres are
/// aligned. Samples beyond an edge repeat the edge.
struct ResampleTaps: Equatable {
    /// The first source sample of each target sample; it and the `tapCount - 1` after it lie inside the source.
    let starts: [Int]
    /// `tapCount` weights for each target sample, which add up to 1.
    let weights: [Float]
    let tapCount: Int

    /// Maps `count` target samples onto `origin ..< origin + length` of a source with `limit` samples.
    init(origin: Double, length: Double, count: Int, limit: Int) {
        let scale = length / Double(count)
        // How far from its centre a target sample reaches: half its own width and half a source sample's.
        let support = max(scale, 1) / 2 + 0.5
        func weight(_ source: Int, _ center: Double) -> Double {
            max(0, min(1, support - abs(Double(source) - center)))
        }
        tapCount = min(limit, Int((2 * support).rounded(.up)) + 1)
        var starts = [Int](repeating: 0, count: count)
        var weights = [Float](repeating: 0, count: count * tapCount)
        for target in 0..<count {
            let center = origin + (Double(target) + 0.5) * scale - 0.5
            let first = Int((center - support).rounded(.down)) + 1
            let last = max(first, Int((center + support).rounded(.up)) - 1)
            let start = max(0, min(first, limit - tapCount))
            starts[target] = start
            var sum = 0.0
            for source in first...last { sum += weight(source, center) }
            for source in first...last {
                let inside = max(0, min(source, limit - 1))
                weights[target * tapCount + max(0, min(inside - start, tapCount - 1))] += Float(
                    weight(source, center) / sum)
            }
        }
        self.starts = starts
        self.weights = weights
    }
}
