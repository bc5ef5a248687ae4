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
        var parts: [(box: Rectangle, content: Cell)] = []
        for start in cells.indices where cells[start].count > 0 {
            parts.append(part(from: start, &cells, columns: columns, rows: rows))
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

    // Takes the cells that are connected with `start` out of `cells`; the box is in pixels of the map.
    private static func part(
        from start: Int, _ cells: inout [Cell], columns: Int, rows: Int
    ) -> (box: Rectangle, content: Cell) {
        var (left, right, top, bottom) = (columns, 0, rows, 0)
        var content = Cell()
        var open = [start]
        while let index = open.popLast() {
            guard cells[index].count > 0 else { continue }
            content.count += cells[index].count
            content.sum += cells[index].sum
            cells[index] = Cell()
            let (x, y) = (index % columns, index / columns)
            (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
            for neighbourY in max(0, y - 1)...min(rows - 1, y + 1) {
                for neighbourX in max(0, x - 1)...min(columns - 1, x + 1) {
                    let neighbour = neighbourY * columns + neighbourX
                    if cells[neighbour].count > 0 { open.append(neighbour) }
                }
            }
        }
        let box = Rectangle(
            x: Double(left * cell), y: Double(top * cell), width: Double((right - left + 1) * cell),
            height: Double((bottom - top + 1) * cell))
        return (box, content)
    }
}
