/// A choice of a grid's cells, as runs of neighbours in each row.
///
/// Working memory that is kept: `prepare`, `mark` cells, `collect`, then read the runs.
struct CellRuns {
    private(set) var columns = 0
    private(set) var rows = 0
    private var isMarked: [UInt8] = []
    private var runs: [Range<Int>] = []
    // Where the runs of each row begin, and at last where they all end.
    private var starts: [Int] = []

    /// Whether no cell was marked.
    var isEmpty: Bool { runs.isEmpty }

    /// Starts anew for a grid of `columns` by `rows`.
    mutating func prepare(columns: Int, rows: Int) {
        if (self.columns, self.rows) != (columns, rows) {
            (self.columns, self.rows) = (columns, rows)
            isMarked = Array(repeating: 0, count: columns * rows)
        } else {
            isMarked.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        }
        runs.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }

    /// Marks one cell.
    mutating func mark(_ column: Int, _ row: Int) { isMarked[row &* columns &+ column] = 1 }

    /// Marks the cells of a run in row `row` and those around them.
    mutating func mark(around run: Range<Int>, row: Int) {
        let columns = columns
        let first = max(run.lowerBound - 1, 0)
        let count = min(run.upperBound + 1, columns) - first
        let rows = max(row - 1, 0)...min(row + 1, rows - 1)
        isMarked.withUnsafeMutableBufferPointer { isMarked in
            for row in rows { (isMarked.baseAddress! + row * columns + first).update(repeating: 1, count: count) }
        }
    }

    /// Finds the runs of the cells that are marked.
    mutating func collect() {
        let columns = columns
        isMarked.withUnsafeBufferPointer { isMarked in
            for row in 0..<rows {
                starts.append(runs.count)
                let cells = isMarked.baseAddress! + row &* columns
                var column = 0
                while column < columns {
                    let first = column
                    let mark = cells[first]
                    repeat { column &+= 1 } while column < columns && cells[column] == mark
                    if mark != 0 { runs.append(first..<column) }
                }
            }
        }
        starts.append(runs.count)
    }

    /// The runs of columns in row `row`, from left to right.
    subscript(row: Int) -> ArraySlice<Range<Int>> { runs[starts[row]..<starts[row + 1]] }

    /// Calls `body` with the row and the columns of every run.
    @inline(__always)
    func forEachRun(_ body: (Int, Range<Int>) -> Void) {
        runs.withUnsafeBufferPointer { runs in
            starts.withUnsafeBufferPointer { starts in
                for row in 0..<rows { for index in starts[row]..<starts[row &+ 1] { body(row, runs[index]) } }
            }
        }
    }
}
