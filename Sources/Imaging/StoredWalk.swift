/// Where the pixels of an upright picture lie in the stored one, as index = origin + y * perRow + x * perColumn.
struct StoredWalk: Hashable, Sendable {
    let origin: Int
    let perRow: Int
    let perColumn: Int

    /// For an upright picture of `width` x `height` pixels whose stored rows follow each other without padding.
    init(_ orientation: Orientation, width: Int, height: Int) {
        let storedWidth = orientation.swapsAxes ? height : width
        let storedHeight = orientation.swapsAxes ? width : height
        let map = AffineTransform.scale(1 / Double(width), 1 / Double(height)).then(orientation.uprightToStored)
            .then(.scale(Double(storedWidth), Double(storedHeight)))
        func index(_ x: Int, _ y: Int) -> Int {
            let point = map.apply(Double(x) + 0.5, Double(y) + 0.5)
            return Int(point.y.rounded(.down)) * storedWidth + Int(point.x.rounded(.down))
        }
        origin = index(0, 0)
        perRow = height > 1 ? index(0, 1) - origin : 0
        perColumn = width > 1 ? index(1, 0) - origin : 0
    }
}
