/// A small floating-point picture of one component, rows from the top without padding: a mask at a network's resolution.
public struct ScalarMap: Sendable, Equatable {
    public let width: Int
    public let height: Int
    /// `width * height` values, row after row.
    public var values: [Float]

    /// A map of at least 1 by 1, the same everywhere.
    public init(width: Int, height: Int, repeating value: Float = 0) {
        precondition(width > 0 && height > 0, "a map has at least one value")
        self.width = width
        self.height = height
        values = Array(repeating: value, count: width * height)
    }

    /// A map of `width * height` values, row after row.
    public init(width: Int, height: Int, values: [Float]) {
        precondition(width > 0 && height > 0 && values.count == width * height, "a map's values fill it")
        self.width = width
        self.height = height
        self.values = values
    }

    /// The map of the stored picture, for a map of the upright one.
    public func stored(as orientation: Orientation) -> ScalarMap {
        guard orientation != .up else { return self }
        let walk = StoredWalk(orientation, width: width, height: height)
        var result = ScalarMap(
            width: orientation.swapsAxes ? height : width, height: orientation.swapsAxes ? width : height)
        for y in 0..<height {
            for x in 0..<width {
                result.values[walk.origin + y * walk.perRow + x * walk.perColumn] = values[y * width + x]
            }
        }
        return result
    }
}
