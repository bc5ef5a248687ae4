import Imaging

/// The expected colour on one side of a plane's soft edges: of the people, or of what is behind them.
///
/// `prepare`, `add` the rows of a row of cells and `collect` them, `fill`, then read rows. Keeps its memory from plane to
/// plane; for one thread at a time.
struct EdgeColor {
    // The weight of a component that is wholly of this side.
    private static let fullWeight = 248

    private let inversion: UInt8
    private var componentCount = 0
    private var weights: [UInt8] = []
    private var weightSums: [UInt32] = []
    private var sums: [UInt32] = []
    private var pyramid = ColorPyramid()
    private var upper = GridRow()
    private var lower = GridRow()

    /// The side where alpha is 255, or else the one where it is 0.
    init(isForeground: Bool) { inversion = isForeground ? 0 : 255 }

    /// Starts anew for a plane with `componentCount` components in a sample.
    mutating func prepare(_ cells: SoftCells, componentCount: Int) {
        self.componentCount = componentCount
        pyramid.prepare(cells.levels, componentCount: componentCount)
        let count = (cells.columns << cells.horizontalShift) * componentCount
        if weights.count != count {
            weights = Array(repeating: 0, count: count)
            weightSums = Array(repeating: 0, count: count)
            sums = weightSums
        }
        upper.index = -1
        lower.index = -1
    }

    /// Adds a row of the plane, `width` samples with one alpha for each component, where `runs` of cells are.
    mutating func add<T: PixelComponent>(
        _ row: UnsafePointer<T>, alpha: UnsafePointer<UInt8>, width: Int, runs: ArraySlice<Range<Int>>,
        of cells: SoftCells
    ) {
        let (inversion, components) = (inversion, componentCount)
        weights.withUnsafeMutableBufferPointer { weights in
            weightSums.withUnsafeMutableBufferPointer { weightSums in
                sums.withUnsafeMutableBufferPointer { sums in
                    for run in runs {
                        let range = cells.range(of: run, width: width, components: components)
                        let (first, count) = (range.lowerBound, range.count)
                        let weights = weights.baseAddress!
                        Self.weigh(alpha + first, inversion, into: weights, count: count)
                        let weightSums = weightSums.baseAddress! + first
                        for x in 0..<count { weightSums[x] &+= UInt32(weights[x]) }
                        T.addWeighted(row + first, weights: weights, to: sums.baseAddress! + first, count: count)
                    }
                }
            }
        }
    }

    // Alpha to the eighth: only what is nearly pure tells of its side, and half of alpha next to nothing.
    @inline(__always)
    private static func weigh(
        _ alpha: UnsafePointer<UInt8>, _ inversion: UInt8, into weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        for x in 0..<count {
            let first = UInt16(alpha[x] ^ inversion)
            let second = (first &* first) &>> 8
            let fourth = (second &* second) &>> 8
            weights[x] = UInt8(truncatingIfNeeded: (fourth &* fourth) &>> 8)
        }
    }

    /// Ends row `row` of cells, whose `runs` were added.
    mutating func collect(_ row: Int, runs: ArraySlice<Range<Int>>, of cells: SoftCells) {
        let (columns, shift, components) = (cells.columns, cells.horizontalShift, componentCount)
        weightSums.withUnsafeMutableBufferPointer { weightSums in
            sums.withUnsafeMutableBufferPointer { sums in
                pyramid.withSums { values, weights in
                    for run in runs {
                        for column in run {
                            let cell = row &* columns &+ column
                            let first = (column &<< shift) &* components
                            let end = first &+ components &<< shift
                            weights[cell] = Self.sum(weightSums, from: first, to: end, by: components)
                            for c in 0..<components {
                                values[cell &* components &+ c] = Self.sum(
                                    sums, from: first &+ c, to: end, by: components)
                            }
                        }
                        let places = (run.lowerBound << shift) * components..<(run.upperBound << shift) * components
                        weightSums[places].update(repeating: 0)
                        sums[places].update(repeating: 0)
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func sum(
        _ sums: UnsafeMutableBufferPointer<UInt32>, from first: Int, to end: Int, by step: Int
    ) -> Float {
        var (sum, place) = (UInt64(0), first)
        while place < end {
            sum &+= UInt64(sums[place])
            place &+= step
        }
        return Float(sum)
    }

    /// Makes colours of what was added; false if that was nothing.
    mutating func fill(_ cells: SoftCells) -> Bool {
        // An eighth of a full cell's weight gave the smallest error over rendered people with exact alpha.
        let prior = Self.fullWeight * cells.cellWidth * cells.cellHeight / 8
        return pyramid.fill(cells.levels, prior: Float(prior))
    }

    /// Calls `body` with the rows `above` and `below` of the grid, enlarged to the plane's row.
    mutating func withRows(
        _ above: Int, _ below: Int, of cells: SoftCells,
        _ body: (UnsafePointer<Float>, UnsafePointer<Float>) -> Void
    ) {
        if upper.index != above, lower.index == above { swap(&upper, &lower) }
        upper.enlarge(above, of: cells, pyramid, componentCount: componentCount)
        lower.enlarge(below, of: cells, pyramid, componentCount: componentCount)
        upper.withValues { upper in lower.withValues { lower in body(upper, lower) } }
    }
}
