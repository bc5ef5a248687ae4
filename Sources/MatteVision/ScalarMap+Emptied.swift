import Imaging

extension ScalarMap {
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
