/// The brightness of a frame's pixels as a guide for filters: the first component, or the green one of an RGB format, as a
/// fraction of the largest code value.
public enum Luma {
    /// Writes the `columns` of row `y` of `plane`, the first plane of a picture in `format`.
    @inline(__always)
    public static func row(
        _ y: Int, of plane: Plane, columns: Range<Int>, format: PixelFormat, into target: UnsafeMutablePointer<Float>
    ) {
        let step = format.planes[0].componentCount
        let component = format.colorModel == .rgb ? format.redGreenBlue[1] : 0
        let scale = 1 / Float((1 << format.bitDepth) - 1)
        let first = columns.lowerBound * step
        let count = columns.count
        switch (format.bytesPerComponent, step) {
        case (1, 1): scaled(plane.row(y, as: UInt8.self) + first, 1, scale, into: target, count: count)
        case (1, _): scaled(plane.row(y, as: UInt8.self) + (first + component), step, scale, into: target, count: count)
        default: scaled(plane.row(y, as: UInt16.self) + first, 1, scale, into: target, count: count)
        }
    }

    @inline(__always)
    private static func scaled<T: FixedWidthInteger>(
        _ source: UnsafePointer<T>, _ step: Int, _ scale: Float, into target: UnsafeMutablePointer<Float>, count: Int
    ) {
        for x in 0..<count { target[x] = Float(source[x &* step]) * scale }
    }
}
