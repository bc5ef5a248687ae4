/// A map that belongs to the reference of an optical flow, to be moved along with the picture.
///
/// Keeps its working memory, and is therefore for one thread at a time.
public struct MotionCompensator {
    /// By how much a map may change in a cell and its neighbours and yet be the same everywhere, so that motion changes nothing.
    private static let flatness: Float = 1 / 256

    /// The largest value in each of the flow's cells and its neighbours.
    public private(set) var peaks: [Float] = []
    private var map = ScalarMap(width: 1, height: 1)
    /// The least and the largest value of each cell, and of it and its neighbours.
    private var extents: [SIMD2<Float>] = []
    private var isFlat: [Bool] = []

    public init() {}

    /// Takes `map`, of the size of the pictures of `flow`.
    public mutating func take(_ map: ScalarMap, of flow: OpticalFlow) {
        self.map.copy(map)
        measure(columns: flow.columns, rows: flow.rows)
        addNeighbors(columns: flow.columns, rows: flow.rows)
    }

    /// Writes the map as it is in the last picture of `flow`, whose motion is known.
    public func move(by flow: OpticalFlow, into target: inout ScalarMap) {
        precondition(isFlat.count == flow.cells.count, "the map has the size of the flow's pictures")
        target.copy(map)
        target.values.withUnsafeMutableBufferPointer { target in
            map.values.withUnsafeBufferPointer { source in
                for cell in isFlat.indices where !isFlat[cell] {
                    move(cell, by: flow, source.baseAddress!, into: target.baseAddress!)
                }
            }
        }
    }

    private func move(
        _ cell: Int, by flow: OpticalFlow, _ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>
    ) {
        let (width, height, side) = (map.width, map.height, OpticalFlow.side)
        let (row, column) = (cell / flow.columns, cell % flow.columns)
        for y in row * side..<min((row + 1) * side, height) {
            let before = Self.motion(of: flow, column - 1, y: y)
            let here = Self.motion(of: flow, column, y: y)
            let after = Self.motion(of: flow, column + 1, y: y)
            for x in column * side..<min((column + 1) * side, width) {
                let along = Self.place(x) - Float(column)
                let motion = here + (along < 0 ? here - before : after - here) * along
                target[y &* width &+ x] = Self.value(
                    source, width, height, Float(x) + motion.x, Float(y) + motion.y)
            }
        }
    }

    // That of the middle of a column's cells, at a height between the middles of two of them, between which it changes evenly.
    private static func motion(of flow: OpticalFlow, _ column: Int, y: Int) -> SIMD2<Float> {
        let column = min(max(column, 0), flow.columns - 1)
        let place = min(max(place(y), 0), Float(flow.rows - 1))
        let row = Int(place)
        let (upper, lower) = (
            flow.cells[row * flow.columns + column].motion,
            flow.cells[min(row + 1, flow.rows - 1) * flow.columns + column].motion
        )
        return upper + (lower - upper) * (place - Float(row))
    }

    // Where a pixel's middle is, counted in cells from the middle of the first.
    @inline(__always)
    private static func place(_ pixel: Int) -> Float { (Float(pixel) + 0.5) / Float(OpticalFlow.side) - 0.5 }

    // Bilinear; the border is repeated.
    @inline(__always)
    private static func value(
        _ source: UnsafePointer<Float>, _ width: Int, _ height: Int, _ x: Float, _ y: Float
    ) -> Float {
        let (x, y) = (min(max(x, 0), Float(width - 1)), min(max(y, 0), Float(height - 1)))
        let (left, top) = (Int(x), Int(y))
        let (right, bottom) = (min(left &+ 1, width &- 1), min(top &+ 1, height &- 1))
        let (along, below) = (x - Float(left), y - Float(top))
        let (upper, lower) = (source + top &* width, source + bottom &* width)
        let (a, b) = (
            upper[left] + (upper[right] - upper[left]) * along, lower[left] + (lower[right] - lower[left]) * along
        )
        return a + (b - a) * below
    }

    private mutating func measure(columns: Int, rows: Int) {
        let (width, height, side) = (map.width, map.height, OpticalFlow.side)
        extents.removeAll(keepingCapacity: true)
        map.values.withUnsafeBufferPointer { values in
            for row in 0..<rows {
                for column in 0..<columns {
                    // Cells may go on beyond the map.
                    var (least, most) = (Float.infinity, -Float.infinity)
                    for y in min(row * side, height - 1)..<min((row + 1) * side, height) {
                        for x in min(column * side, width - 1)..<min((column + 1) * side, width) {
                            let value = values[y &* width &+ x]
                            least = value < least ? value : least
                            most = value > most ? value : most
                        }
                    }
                    extents.append(SIMD2(least, most))
                }
            }
        }
    }

    private mutating func addNeighbors(columns: Int, rows: Int) {
        peaks.removeAll(keepingCapacity: true)
        isFlat.removeAll(keepingCapacity: true)
        for row in 0..<rows {
            for column in 0..<columns {
                var (least, most) = (Float.infinity, -Float.infinity)
                for y in max(0, row - 1)...min(rows - 1, row + 1) {
                    for x in max(0, column - 1)...min(columns - 1, column + 1) {
                        let extent = extents[y &* columns &+ x]
                        (least, most) = (min(least, extent.x), max(most, extent.y))
                    }
                }
                peaks.append(most)
                isFlat.append(most - least < Self.flatness)
            }
        }
    }
}
