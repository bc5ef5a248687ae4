import Imaging

extension ScalarMap {
    /// The map of `region` that this one, of the region `origin` of the same frame, has values for; 0 where it has none.
    ///
    /// It has this one's size; values are those of the nearest point.
    func moved(from origin: Rectangle, to region: Rectangle) -> ScalarMap {
        func places(_ count: Int, _ from: (start: Double, length: Double), _ to: (start: Double, length: Double))
            -> [Int]
        {
            (0..<count).map { index in
                let place = to.start + (Double(index) + 0.5) / Double(count) * to.length
                let own = Int(((place - from.start) / from.length * Double(count)).rounded(.down))
                return (0..<count).contains(own) ? own : -1
            }
        }
        let columns = places(width, (origin.x, origin.width), (region.x, region.width))
        let rows = places(height, (origin.y, origin.height), (region.y, region.height))
        var moved = ScalarMap(width: width, height: height)
        for (y, row) in rows.enumerated() where row >= 0 {
            for (x, column) in columns.enumerated() where column >= 0 {
                moved.values[y * width + x] = values[row * width + column]
            }
        }
        return moved
    }

    /// The map of `area` with nothing in any of `rectangles`, which are in the same pixels.
    func emptied(in rectangles: [Rectangle], of area: Rectangle) -> ScalarMap {
        var emptied = self
        let (across, down) = (area.width / Double(width), area.height / Double(height))
        for y in 0..<height {
            for x in 0..<width {
                let (column, row) = (area.x + (Double(x) + 0.5) * across, area.y + (Double(y) + 0.5) * down)
                if rectangles.contains(where: { $0.contains(x: column, y: row) }) { emptied.values[y * width + x] = 0 }
            }
        }
        return emptied
    }
}
