import Imaging

/// Where an alpha plane is neither 0 nor 255, as cells of a grid; all else of the plane costs no more than this look at it.
///
/// Keeps its memory from one plane to the next, and is therefore for one thread at a time.
struct SoftCells {
    /// log2 of the samples in a row of a cell.
    private(set) var horizontalShift = 0
    /// log2 of the rows of samples in a cell.
    private(set) var verticalShift = 0
    /// The cells that hold a soft alpha.
    private(set) var soft = CellRuns()
    /// Ever coarser grids, down to a single cell. The first has the soft cells and those around them, each further one
    /// the cells that four of the one before make up, and those around them: what bilinear interpolation reads.
    private(set) var levels: [CellRuns] = []
    private var accumulated: [UInt64] = []

    /// Columns of the grid.
    var columns: Int { soft.columns }
    /// Rows of the grid.
    var rows: Int { soft.rows }
    /// Samples in a row of a cell.
    var cellWidth: Int { 1 << horizontalShift }
    /// Rows of samples in a cell.
    var cellHeight: Int { 1 << verticalShift }

    /// Looks for soft cells in `alpha`, with 2 to the shifts as the size of a cell.
    mutating func find(in alpha: Plane, horizontalShift: Int, verticalShift: Int) {
        (self.horizontalShift, self.verticalShift) = (horizontalShift, verticalShift)
        let columns = (alpha.width + cellWidth - 1) >> horizontalShift
        let rows = (alpha.height + cellHeight - 1) >> verticalShift
        soft.prepare(columns: columns, rows: rows)
        for row in 0..<rows {
            accumulate(alpha, rows: row * cellHeight..<min((row + 1) * cellHeight, alpha.height))
            markSoft(row)
        }
        soft.collect()
        if !soft.isEmpty { surround(columns: columns, rows: rows) }
    }

    /// The components of a row of `width` samples that lie in a run of cells.
    func range(of run: Range<Int>, width: Int, components: Int) -> Range<Int> {
        let end = min(run.upperBound << horizontalShift, width)
        return (run.lowerBound << horizontalShift) * components..<end * components
    }

    // In each column the bits of alpha + 1: 0 or 1 where all are 0 or 255, something larger elsewhere.
    private mutating func accumulate(_ alpha: Plane, rows: Range<Int>) {
        let width = alpha.width
        let words = (width + 7) / 8
        if accumulated.count != words { accumulated = Array(repeating: 0, count: words) }
        accumulated.withUnsafeMutableBytes { bytes in
            let bits = bytes.assumingMemoryBound(to: UInt8.self).baseAddress!
            bits.update(repeating: 0, count: words * 8)
            for y in rows { AlphaStretch.add(alpha.row(y, as: UInt8.self), to: bits, count: width) }
        }
    }

    private mutating func markSoft(_ row: Int) {
        for index in accumulated.indices {
            var word = accumulated[index] & 0xFEFE_FEFE_FEFE_FEFE
            while word != 0 {
                let byte = word.trailingZeroBitCount &>> 3
                soft.mark((index &* 8 &+ byte) &>> horizontalShift, row)
                word &= ~(0xFF &<< UInt64(truncatingIfNeeded: byte &* 8))
            }
        }
    }

    private mutating func surround(columns: Int, rows: Int) {
        var (columns, rows, count) = (columns, rows, 0)
        while true {
            if count == levels.count { levels.append(CellRuns()) }
            var level = CellRuns()
            swap(&level, &levels[count])
            level.prepare(columns: columns, rows: rows)
            if count == 0 {
                soft.forEachRun { row, run in level.mark(around: run, row: row) }
            } else {
                levels[count - 1].forEachRun { row, run in
                    level.mark(around: run.lowerBound / 2..<(run.upperBound + 1) / 2, row: row / 2)
                }
            }
            level.collect()
            swap(&level, &levels[count])
            count += 1
            guard columns > 1 || rows > 1 else { break }
            (columns, rows) = ((columns + 1) / 2, (rows + 1) / 2)
        }
        levels.removeLast(levels.count - count)
    }
}
