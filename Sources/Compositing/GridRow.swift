/// A row of a grid's means, enlarged linearly to the components of a plane's row where the grid has cells.
struct GridRow {
    /// Which row of the grid it is; -1 for none yet.
    var index = -1
    private var values: [Float] = []
    private var margin = 0

    /// Becomes row `row` of the grid, if it is not that row already.
    mutating func enlarge(_ row: Int, of cells: SoftCells, _ pyramid: ColorPyramid, componentCount: Int) {
        guard index != row else { return }
        index = row
        let (width, components) = (cells.cellWidth, componentCount)
        let count = (cells.columns + 1) * width * components
        if values.count != count { values = Array(repeating: 0, count: count) }
        margin = width / 2 * components
        let runs = cells.levels[0][row]
        let first = row * cells.columns * components
        let step = 1 / Float(width)
        values.withUnsafeMutableBufferPointer { values in
            pyramid.withMeans { means in
                // From centre to centre; half a cell before a run's first one and after its last one stays flat.
                for run in runs {
                    for column in run.lowerBound...run.upperBound {
                        let left = means + (first &+ max(column &- 1, run.lowerBound) &* components)
                        let right = means + (first &+ min(column, run.upperBound &- 1) &* components)
                        let target = values.baseAddress! + column &* width &* components
                        for c in 0..<components {
                            let (start, difference) = (left[c], right[c] - left[c])
                            for place in 0..<width {
                                let fraction = (Float(place) + 0.5) * step
                                target[place &* components &+ c] = start + difference * fraction
                            }
                        }
                    }
                }
            }
        }
    }

    /// Calls `body` with the row's values, one for each component of a plane's row.
    func withValues(_ body: (UnsafePointer<Float>) -> Void) {
        values.withUnsafeBufferPointer { body($0.baseAddress! + margin) }
    }
}
