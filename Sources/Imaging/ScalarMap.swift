/// A small floating-point picture of one component, rows from the top without padding: a mask at a network's resolution.
public struct ScalarMap: Sendable, Equatable {
    public private(set) var width: Int
    public private(set) var height: Int
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

    /// Calls `body` with the map as a plane, which is valid only during the call.
    public func withPlane<R>(_ body: (Plane) -> R) -> R {
        values.withUnsafeBufferPointer { values in
            body(
                Plane(
                    base: values.baseAddress!, bytesPerRow: MemoryLayout<Float>.stride * width, width: width,
                    height: height))
        }
    }

    /// Takes another size; the values are undefined until they are written.
    public mutating func resize(width: Int, height: Int) {
        guard (width, height) != (self.width, self.height) else { return }
        self = ScalarMap(width: width, height: height)
    }

    /// Takes the size and values of `other`, in memory of its own.
    public mutating func copy(_ other: ScalarMap) { copy(other, storedAs: .up) }

    /// Becomes the map of the stored picture that `upright` is the upright map of, in memory of its own.
    public mutating func copy(_ upright: ScalarMap, storedAs orientation: Orientation) {
        let (width, height) = (upright.width, upright.height)
        resize(width: orientation.swapsAxes ? height : width, height: orientation.swapsAxes ? width : height)
        values.withUnsafeMutableBufferPointer { values in
            upright.values.withUnsafeBufferPointer { source in
                guard orientation != .up else {
                    _ = values.update(fromContentsOf: source)
                    return
                }
                let walk = StoredWalk(orientation, width: width, height: height)
                for y in 0..<height {
                    for x in 0..<width {
                        values[walk.origin &+ y &* walk.perRow &+ x &* walk.perColumn] = source[y &* width &+ x]
                    }
                }
            }
        }
    }
}
