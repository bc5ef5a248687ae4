import Imaging

/// The people in a mask: a box for each connected part.
enum PersonBoxes {
    /// Sides of the cells, in the mask's pixels, in which neighbours count as connected.
    private static let cell = 4
    /// Parts with fewer pixels than this are noise.
    private static let least = 12

    /// The boxes in `map`, which covers `area` of a frame, in that frame's pixels, of parts whose mean value is at least
    /// `confidence`; the largest first.
    static func find(in map: ScalarMap, of area: Rectangle, confidence: Float = 0.5) -> [Rectangle] {
        let (columns, rows) = ((map.width + cell - 1) / cell, (map.height + cell - 1) / cell)
        var cells = [Cell](repeating: Cell(), count: columns * rows)
        for y in 0..<map.height {
            for x in 0..<map.width where map.values[y * map.width + x] > 0.5 {
                cells[y / cell * columns + x / cell].count += 1
                cells[y / cell * columns + x / cell].sum += map.values[y * map.width + x]
            }
        }
        let parts = ConnectedCells.groups(of: cells.map { $0.count > 0 }, columns: columns).map { group in
            part(of: group, cells, columns: columns)
        }
        let (across, down) = (area.width / Double(map.width), area.height / Double(map.height))
        let people = parts.filter {
            $0.content.count >= least && $0.content.sum >= confidence * Float($0.content.count)
        }
        return people.sorted { $0.content.count > $1.content.count }.map { part in
            Rectangle(
                x: area.x + part.box.x * across, y: area.y + part.box.y * down, width: part.box.width * across,
                height: part.box.height * down
            ).intersection(area)
        }
    }

    /// The values above one half in a cell, or in a part.
    private struct Cell {
        var count: Int32 = 0
        var sum: Float = 0
    }

    // The box is in pixels of the map.
    private static func part(of group: [Int], _ cells: [Cell], columns: Int) -> (box: Rectangle, content: Cell) {
        var (left, right, top, bottom) = (Int.max, 0, Int.max, 0)
        var content = Cell()
        for index in group {
            content.count += cells[index].count
            content.sum += cells[index].sum
            let (x, y) = (index % columns, index / columns)
            (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
        }
        let box = Rectangle(
            x: Double(left * cell), y: Double(top * cell), width: Double((right - left + 1) * cell),
            height: Double((bottom - top + 1) * cell))
        return (box, content)
    }
}
