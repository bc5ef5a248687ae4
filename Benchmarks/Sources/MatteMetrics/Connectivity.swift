extension AlphaMatte {
    /// Conn: how differently the pixels of two mattes hang together with the largest part that both have; divided by 1000.
    /// Symmetric.
    ///
    /// At thresholds 0.1, 0.2, … 1 the part is the largest 4-connected component of the pixels that both mattes have at or
    /// above the threshold, the first in reading order of equals. l is the threshold below the first at which a pixel is not in
    /// that part, or 1 if it always is; d = alpha - l, and phi = 1 - d where d >= 0.15, else 1. Conn sums |phi - phi'|. C.
    /// Rhemann et al., CVPR 2009, as in Robust Video Matting's evaluation.
    public func conn(to truth: AlphaMatte) -> Double {
        requireSameSize(as: truth)
        let steps = 10
        let thresholds = (0...steps).map { Float($0) / Float(steps) }
        let shared = sharedSteps(with: truth, thresholds: thresholds)
        var component = LargestComponent(width: width, height: height)
        // The step up to which a pixel hangs together; nobody has left yet.
        var connected = [UInt8](repeating: UInt8(steps), count: values.count)
        for step in 1...steps {
            component.find(in: shared, atLeast: UInt8(step))
            component.forEachOutside { range in
                for i in range { connected[i] = min(connected[i], UInt8(step - 1)) }
            }
        }
        var sum = 0.0
        for i in connected.indices {
            let level = thresholds[Int(connected[i])]
            sum += Double(abs(Self.phi(values[i] - level) - Self.phi(truth.values[i] - level)))
        }
        return sum / 1e3
    }

    private static func phi(_ difference: Float) -> Float { difference >= 0.15 ? 1 - difference : 1 }

    /// The last threshold that both mattes reach in each pixel.
    private func sharedSteps(with other: AlphaMatte, thresholds: [Float]) -> [UInt8] {
        var steps = [UInt8](repeating: 0, count: values.count)
        for i in steps.indices {
            let least = min(values[i], other.values[i])
            // The product may be off by one at the thresholds themselves.
            var step = min(max(Int(least * Float(thresholds.count - 1)), 0), thresholds.count - 1)
            if step + 1 < thresholds.count, least >= thresholds[step + 1] { step += 1 }
            if least < thresholds[step] { step -= 1 }
            steps[i] = UInt8(max(step, 0))
        }
        return steps
    }
}

/// Finds the largest 4-connected component of a binary picture by joining runs of rows.
struct LargestComponent {
    private struct Run {
        let range: Range<Int>
        /// Index of a run of the same component; a run that points to itself stands for its component.
        var parent: Int
        /// Pixels of the component, where the run stands for it.
        var area: Int
    }

    private let width: Int
    private let height: Int
    private var runs: [Run] = []
    /// The run that stands for the largest component; nil where no pixel is set.
    private var largest: Int?

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Looks at the pixels of `values` (width * height) that are at least `threshold`.
    mutating func find(in values: [UInt8], atLeast threshold: UInt8) {
        runs.removeAll(keepingCapacity: true)
        largest = nil
        var above = 0..<0
        values.withUnsafeBufferPointer { values in
            for y in 0..<height {
                let first = runs.count
                appendRuns(of: values, row: y, threshold: threshold)
                join(above, first..<runs.count)
                above = first..<runs.count
            }
        }
        for index in runs.indices where runs[index].parent == index {
            if largest == nil || runs[index].area > runs[largest!].area { largest = index }
        }
    }

    /// Calls `body` with every stretch of pixels (indexes in reading order) that is not in the component.
    func forEachOutside(_ body: (Range<Int>) -> Void) {
        var next = 0
        if let largest {
            for index in runs.indices where root(index) == largest {
                body(next..<runs[index].range.lowerBound)
                next = runs[index].range.upperBound
            }
        }
        body(next..<width * height)
    }

    private mutating func appendRuns(of values: UnsafeBufferPointer<UInt8>, row: Int, threshold: UInt8) {
        let end = (row + 1) * width
        var i = row * width
        while i < end {
            while i < end, values[i] < threshold { i &+= 1 }
            let start = i
            while i < end, values[i] >= threshold { i &+= 1 }
            if i > start { runs.append(Run(range: start..<i, parent: runs.count, area: i - start)) }
        }
    }

    /// Joins runs of one row with those of the row above that share a column.
    private mutating func join(_ above: Range<Int>, _ below: Range<Int>) {
        var (upper, lower) = (above.lowerBound, below.lowerBound)
        while upper < above.upperBound, lower < below.upperBound {
            let (a, b) = (runs[upper].range, runs[lower].range)
            let (start, end) = (a.lowerBound + width, a.upperBound + width)
            if start < b.upperBound, b.lowerBound < end { unite(upper, lower) }
            if end < b.upperBound { upper += 1 } else { lower += 1 }
        }
    }

    private mutating func unite(_ a: Int, _ b: Int) {
        let (first, second) = (root(a), root(b))
        guard first != second else { return }
        // The first in reading order stands for both, so that of equal areas the first one wins.
        let (keeper, other) = (min(first, second), max(first, second))
        runs[other].parent = keeper
        runs[keeper].area += runs[other].area
        runs[b].parent = keeper
    }

    private func root(_ index: Int) -> Int {
        var index = index
        while runs[index].parent != index { index = runs[index].parent }
        return index
    }
}
