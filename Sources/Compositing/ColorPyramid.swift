/// Weighted means on a grid of cells, where a cell of little or no weight takes what is around it.
///
/// Pull-push as in Gortler et al., "The Lumigraph" (SIGGRAPH 1996): four cells make up one of the next grid, and each mean goes
/// back to the finer grid, where it counts as much as `prior` of weight. Keeps its memory; for one thread at a time.
struct ColorPyramid {
    // Sums, and after `fill` means; those of the finest grid come first.
    private var values: [Float] = []
    private var weights: [Float] = []
    private var offsets: [Int] = []
    private var componentCount = 0

    /// Starts anew for the grids `levels`, with `componentCount` values in a cell.
    mutating func prepare(_ levels: [CellRuns], componentCount: Int) {
        self.componentCount = componentCount
        offsets.removeAll(keepingCapacity: true)
        var count = 0
        for level in levels {
            offsets.append(count)
            count += level.columns * level.rows
        }
        if weights.count != count { weights = Array(repeating: 0, count: count) }
        if values.count != count * componentCount { values = Array(repeating: 0, count: count * componentCount) }
        // The finest grid's cells are all set before they are read.
        let finest = levels[0].columns * levels[0].rows
        weights.withUnsafeMutableBufferPointer { $0[finest...].update(repeating: 0) }
        values.withUnsafeMutableBufferPointer { $0[(finest * componentCount)...].update(repeating: 0) }
    }

    /// Calls `body` with the finest grid's sums and weights to write, for the cells of `levels[0]`.
    mutating func withSums(_ body: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) -> Void) {
        values.withUnsafeMutableBufferPointer { values in
            weights.withUnsafeMutableBufferPointer { weights in body(values.baseAddress!, weights.baseAddress!) }
        }
    }

    /// Calls `body` with the finest grid's means.
    func withMeans(_ body: (UnsafePointer<Float>) -> Void) {
        values.withUnsafeBufferPointer { body($0.baseAddress!) }
    }

    /// Makes means of the sums; false if no cell had any weight, and there is no mean.
    mutating func fill(_ levels: [CellRuns], prior: Float) -> Bool {
        let (offsets, components) = (offsets, componentCount)
        return values.withUnsafeMutableBufferPointer { values in
            weights.withUnsafeMutableBufferPointer { weights in
                let grids = levels.indices.map { index in
                    Grid(
                        cells: levels[index], values: values.baseAddress! + offsets[index] * components,
                        weights: weights.baseAddress! + offsets[index], componentCount: components)
                }
                for (fine, coarse) in zip(grids, grids.dropFirst()) { coarse.add(fine) }
                let top = grids[grids.count - 1]
                guard top.weights[0] > 0 else { return false }
                for c in 0..<components { top.values[c] /= top.weights[0] }
                for (fine, coarse) in zip(grids, grids.dropFirst()).reversed() { fine.blend(coarse, prior: prior) }
                return true
            }
        }
    }

    private struct Grid {
        let cells: CellRuns
        let values: UnsafeMutablePointer<Float>
        let weights: UnsafeMutablePointer<Float>
        let componentCount: Int

        func add(_ fine: Grid) {
            let (columns, fineColumns, components) = (cells.columns, fine.cells.columns, componentCount)
            fine.cells.forEachRun { row, run in
                for column in run {
                    let source = row &* fineColumns &+ column
                    let target = (row &>> 1) &* columns &+ column &>> 1
                    weights[target] += fine.weights[source]
                    for c in 0..<components {
                        values[target &* components &+ c] += fine.values[source &* components &+ c]
                    }
                }
            }
        }

        // Bilinear: the nearest of the coarse cells weighs 9, the two beside it 3 and the diagonal one 1 of sixteen.
        func blend(_ coarse: Grid, prior: Float) {
            let (columns, components) = (cells.columns, componentCount)
            let (lastColumn, lastRow) = (coarse.cells.columns - 1, coarse.cells.rows - 1)
            cells.forEachRun { row, run in
                let otherRow = min(max((row &>> 1) &+ (row & 1) &* 2 &- 1, 0), lastRow)
                let near = coarse.values + (row &>> 1) &* (lastColumn &+ 1) &* components
                let far = coarse.values + otherRow &* (lastColumn &+ 1) &* components
                for column in run {
                    let cell = row &* columns &+ column
                    let scale = 1 / (weights[cell] + prior)
                    let here = (column &>> 1) &* components
                    let beside = min(max((column &>> 1) &+ (column & 1) &* 2 &- 1, 0), lastColumn) &* components
                    for c in 0..<components {
                        let nearMean = near[here &+ c] * 0.75 + near[beside &+ c] * 0.25
                        let farMean = far[here &+ c] * 0.75 + far[beside &+ c] * 0.25
                        let mean = nearMean * 0.75 + farMean * 0.25
                        values[cell &* components &+ c] = (values[cell &* components &+ c] + prior * mean) * scale
                    }
                }
            }
        }
    }
}
