/// A component of a mask's pixel format.
protocol MaskComponent: Comparable {
    static var clear: Self { get }
    static var opaque: Self { get }

    /// Raises `count` components to `values`, which are clipped to 0…1 and rounded.
    static func raise(_ target: UnsafeMutablePointer<Self>, to values: UnsafePointer<Float>, count: Int)
}

extension UInt8: MaskComponent {
    static let clear: UInt8 = 0
    static let opaque: UInt8 = 255

    static func raise(_ target: UnsafeMutablePointer<UInt8>, to values: UnsafePointer<Float>, count: Int) {
        for x in 0..<count {
            target[x] = Swift.max(target[x], UInt8(nearest: Swift.min(Swift.max(values[x], 0), 1) * 255))
        }
    }
}

extension Float16: MaskComponent {
    static let clear: Float16 = 0
    static let opaque: Float16 = 1

    static func raise(_ target: UnsafeMutablePointer<Float16>, to values: UnsafePointer<Float>, count: Int) {
        for x in 0..<count { target[x] = Swift.max(target[x], Float16(Swift.min(Swift.max(values[x], 0), 1))) }
    }
}

extension Float: MaskComponent {
    static let clear: Float = 0
    static let opaque: Float = 1

    static func raise(_ target: UnsafeMutablePointer<Float>, to values: UnsafePointer<Float>, count: Int) {
        for x in 0..<count { target[x] = Swift.max(target[x], Swift.min(Swift.max(values[x], 0), 1)) }
    }
}
