import Imaging

extension ScalarMap {
    /// Sides of the cells, in pixels, in which neighbours count as connected.
    private static let cell = 4
    /// Above which value a mask shows something, and above which a person.
    private static let (something, person): (Float, Float) = (0.1, 0.5)

    /// Empties those parts of a mask that nowhere show a person: a network is unsure of backgrounds now and then, of people only where
    /// they end (thresholding with hysteresis: Canny, "A Computational Approach to Edge Detection", 1986).
    mutating func emptyUnsureParts() {
        let columns = (width + Self.cell - 1) / Self.cell
        let peaks = peaks(columns: columns)
        for group in ConnectedCells.groups(of: peaks.map { $0 > Self.something }, columns: columns)
        where !group.contains(where: { peaks[$0] > Self.person }) {
            for index in group { emptyCell(column: index % columns, row: index / columns) }
        }
    }

    // The largest value in each cell.
    private func peaks(columns: Int) -> [Float] {
        var peaks = [Float](repeating: 0, count: columns * ((height + Self.cell - 1) / Self.cell))
        values.withUnsafeBufferPointer { values in
            peaks.withUnsafeMutableBufferPointer { peaks in
                for y in 0..<height {
                    let (row, line) = (y / Self.cell &* columns, y &* width)
                    for x in 0..<width {
                        let cell = row &+ x / Self.cell
                        peaks[cell] = max(peaks[cell], values[line &+ x])
                    }
                }
            }
        }
        return peaks
    }

    private mutating func emptyCell(column: Int, row: Int) {
        for y in row * Self.cell..<min((row + 1) * Self.cell, height) {
            for x in column * Self.cell..<min((column + 1) * Self.cell, width) { values[y * width + x] = 0 }
        }
    }
}
