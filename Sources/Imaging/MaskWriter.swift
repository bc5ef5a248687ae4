/// Writes rows of mask values (0…1) in a mask's pixel format.
enum MaskWriter {
    /// Writes `count` values, clipped to 0…1, to `row` of a `gray8`, `grayf16` or `grayf32` plane.
    @inline(__always)
    static func write(_ values: UnsafePointer<Float>, count: Int, to plane: MutablePlane, row: Int, format: PixelFormat)
    {
        switch format {
        case .gray8:
            let target = plane.row(row, as: UInt8.self)
            // Adding 2^23 rounds to a whole number in the lowest bits of the pattern: no conversion that could trap.
            for x in 0..<count {
                let scaled = min(max(values[x], 0), 1) * 255 + 8_388_608
                target[x] = UInt8(truncatingIfNeeded: scaled.bitPattern)
            }
        case .grayf16:
            let target = plane.row(row, as: Float16.self)
            for x in 0..<count { target[x] = Float16(min(max(values[x], 0), 1)) }
        default:
            let target = plane.row(row, as: Float.self)
            for x in 0..<count { target[x] = min(max(values[x], 0), 1) }
        }
    }
}
