import Imaging

/// The expected colour on one side of a plane's soft edges: of the people, or of what is behind them.
///
/// `prepare`, `add` each row of cells and `collect` it, `fill`, then read rows. Keeps its memory from plane to
/// plane; for one thread at a time.
struct EdgeColor {
    // The weight of a component that is wholly of this side.
    private static let fullWeight = 248

    private let inversion: UInt8
    private var componentCount = 0
    // Of each column of the row of cells that was added last, one for each component.
    private var weightSums: [UInt32] = []
    private var sums: [UInt32] = []
    private var pyramid = ColorPyramid()
    private var upper = GridRow()
    private var lower = GridRow()

    /// The side where alpha is 255, or else the one where it is 0.
    init(isForeground: Bool) { inversion = isForeground ? 0 : 255 }

    /// Starts anew for a plane with `width` samples in a row, of `componentCount` components each.
    mutating func prepare(_ cells: SoftCells, width: Int, componentCount: Int) {
        self.componentCount = componentCount
        pyramid.prepare(cells.levels, componentCount: componentCount)
        let count = (cells.columns << cells.horizontalShift) * componentCount
        if sums.count < count {
            weightSums = Array(repeating: 0, count: count)
            sums = weightSums
        }
        // The last cell may go on beyond the plane.
        for column in width * componentCount..<count { (weightSums[column], sums[column]) = (0, 0) }
        upper.index = -1
        lower.index = -1
    }

    /// Adds a row of cells, where `runs` of them are: rows of the plane, and of its `alpha`, one for each component.
    mutating func add<T: PixelComponent>(
        _ samples: Plane, as type: T.Type, alpha: Plane, runs: ArraySlice<Range<Int>>, of cells: SoftCells
    ) {
        let (inversion, components) = (inversion, componentCount)
        let length = samples.width * components
        weightSums.withUnsafeMutableBufferPointer { weightSums in
            sums.withUnsafeMutableBufferPointer { sums in
                for run in runs {
                    let range = cells.range(of: run, width: samples.width, components: components)
                    var column = range.lowerBound
                    while column < range.upperBound {
                        // Columns may be summed twice, and others than those of the run: only these are collected.
                        let first = max(0, min(column, length &- 8))
                        let (weight, sum) = Self.sum(
                            samples, as: type, alpha: alpha, inversion, from: first, count: min(8, length))
                        if length >= 8 {
                            UnsafeMutableRawPointer(weightSums.baseAddress! + first)
                                .storeBytes(of: SIMD8<UInt32>(truncatingIfNeeded: weight), as: SIMD8<UInt32>.self)
                            UnsafeMutableRawPointer(sums.baseAddress! + first)
                                .storeBytes(of: sum, as: SIMD8<UInt32>.self)
                        } else {
                            for x in 0..<length { (weightSums[x], sums[x]) = (UInt32(weight[x]), sum[x]) }
                        }
                        column &+= 8
                    }
                }
            }
        }
    }

    // The weights in eight columns from `first` on, `count` of which there are, and the components with them.
    @inline(__always)
    private static func sum<T: PixelComponent>(
        _ samples: Plane, as type: T.Type, alpha: Plane, _ inversion: UInt8, from first: Int, count: Int
    ) -> (weights: SIMD8<UInt16>, components: SIMD8<UInt32>) {
        var (weights, sums) = (SIMD8<UInt16>.zero, SIMD8<UInt32>.zero)
        for y in 0..<samples.height {
            let alphas = eight(alpha.row(y, as: UInt8.self) + first, count)
            let weight = weigh(alphas ^ SIMD8(repeating: UInt16(inversion)))
            weights &+= weight
            sums &+=
                SIMD8<UInt32>(truncatingIfNeeded: eight(samples.row(y, as: type) + first, count))
                &* SIMD8<UInt32>(truncatingIfNeeded: weight)
        }
        return (weights, sums)
    }

    @inline(__always)
    private static func eight<T: PixelComponent>(_ row: UnsafePointer<T>, _ count: Int) -> SIMD8<UInt16> {
        guard count == 8 else {
            var values = SIMD8<UInt16>.zero
            for x in 0..<count { values[x] = UInt16(truncatingIfNeeded: row[x]) }
            return values
        }
        let bytes = UnsafeRawPointer(row)
        return MemoryLayout<T>.size == 1
            ? SIMD8(truncatingIfNeeded: bytes.loadUnaligned(as: SIMD8<UInt8>.self))
            : bytes.loadUnaligned(as: SIMD8<UInt16>.self)
    }

    // Alpha to the eighth: only what is nearly pure tells of its side, and half of alpha next to nothing.
    @inline(__always)
    private static func weigh(_ alpha: SIMD8<UInt16>) -> SIMD8<UInt16> {
        let second = (alpha &* alpha) &>> 8
        let fourth = (second &* second) &>> 8
        return (fourth &* fourth) &>> 8
    }

    /// Takes the row of cells that was added, whose `runs` those are, as row `row`.
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
