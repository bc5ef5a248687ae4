/// The values of a function of light in 0…1, looked up by the light's logarithm: as fine in the dark as an eye is.
///
/// A floating-point number's first bits are a logarithm already, so that no root has to be taken per pixel. Light lies within
/// a thousandth of an entry's; what is darker than 2^-32 counts as 0.
struct LightTable: Sendable {
    private static let octaves = 32
    /// Bits of the mantissa that count.
    private static let stepBits = 9
    private static let shift = Int32(Float.significandBitCount - stepBits)
    /// The bits of the darkest light.
    private static let base = Int32(127 - octaves) << Int32(stepBits)

    let values: [Float]

    init(_ value: (Float) -> Float) {
        values = (0...Int32(Self.octaves << Self.stepBits)).map { index in
            value(index == 0 ? 0 : Float(bitPattern: UInt32((index + Self.base) << Self.shift)))
        }
    }

    /// The nearest entry to `light`, which is not negative; what is brighter than 1 counts as 1.
    @inline(__always)
    static func index(_ light: Float) -> UInt32 {
        let bits = Int32(bitPattern: min(light, 1).bitPattern) &+ 1 &<< (shift &- 1)
        return UInt32(bitPattern: max(0, (bits &>> shift) &- base))
    }
}
