import Imaging

/// The part of a segmentation network's mask that shows somebody else than the bodies that are followed.
///
/// What the network sees around a body, or near it, is its mistake more often than not; what is as large as a good part of
/// a body is somebody whom nobody follows.
struct OtherPeople {
    /// Sides of the cells, in the mask's pixels, in which neighbours count as connected.
    private static let cell = 8
    /// The share of a cell that shows somebody else from which on it does: rims of bodies fill none.
    private static let filled = 0.5
    /// The share of the bodies from which on what is connected is somebody else.
    private static let share = 0.08

    private let columns: Int
    /// Of each cell, whether somebody else is there, or in a cell beside it.
    private let isNear: [Bool]

    /// Those in `mask` besides those in `bodies`, which has its size.
    init(in mask: ScalarMap, besides bodies: ScalarMap) {
        precondition(mask.width == bodies.width && mask.height == bodies.height, "the bodies have the mask's size")
        let (columns, rows) = ((mask.width + Self.cell - 1) / Self.cell, (mask.height + Self.cell - 1) / Self.cell)
        var counts = [Int](repeating: 0, count: columns * rows)
        var own = 0
        mask.values.withUnsafeBufferPointer { values in
            bodies.values.withUnsafeBufferPointer { bodies in
                for cell in counts.indices {
                    let (x, y) = (cell % columns * Self.cell, cell / columns * Self.cell)
                    for row in y..<min(y + Self.cell, mask.height) {
                        for index in row * mask.width + x..<row * mask.width + min(x + Self.cell, mask.width) {
                            let isOwn = bodies[index] > 0.5
                            own += isOwn ? 1 : 0
                            counts[cell] += !isOwn && values[index] > 0.5 ? 1 : 0
                        }
                    }
                }
            }
        }
        let least = Self.filled * Double(Self.cell * Self.cell)
        var isNear = [Bool](repeating: false, count: counts.count)
        for group in ConnectedCells.groups(of: counts.map { Double($0) >= least }, columns: columns) {
            let count = group.reduce(0) { $0 + counts[$1] }
            guard Double(count) >= Self.share * Double(own) else { continue }
            for index in group {
                let (x, y) = (index % columns, index / columns)
                for row in max(0, y - 1)...min(rows - 1, y + 1) {
                    for column in max(0, x - 1)...min(columns - 1, x + 1) { isNear[row * columns + column] = true }
                }
            }
        }
        self.columns = columns
        self.isNear = isNear
    }

    /// Makes of `bodies` what they and `mask`, a segmentation network's, say together: the mean of both where bodies count in full,
    /// that is with a `weight` of 1; the mask where somebody else is.
    func join(_ mask: ScalarMap, to bodies: inout ScalarMap, weight: Float) {
        let share = weight / 2
        let width = mask.width
        bodies.values.withUnsafeMutableBufferPointer { bodies in
            mask.values.withUnsafeBufferPointer { mask in
                for y in 0..<mask.count / width {
                    for column in 0..<columns {
                        let part = isNear[y / Self.cell * columns + column] ? 0 : share
                        let x = column * Self.cell
                        for index in y * width + x..<y * width + min(x + Self.cell, width) {
                            bodies[index] = mask[index] + (bodies[index] - mask[index]) * part
                        }
                    }
                }
            }
        }
    }
}
