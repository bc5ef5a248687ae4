/// The brightness of a frame's pixels: the first component, or the green one of an RGB format, as a fraction of the largest code
/// value.
public enum Luma {
    /// Writes row `y` of `plane`, the first plane of a picture in `format`.
    @inline(__always)
    public static func row(
        _ y: Int, of plane: Plane, format: PixelFormat, into target: UnsafeMutablePointer<Float>
    ) {
        let (step, component) = (format.lumaPlace.step, format.lumaPlace.component)
        let scale = 1 / Float((1 << format.bitDepth) - 1)
        let count = plane.width
        switch (format.bytesPerComponent, step) {
        case (1, 1): scaled(plane.row(y, as: UInt8.self), 1, scale, into: target, count: count)
        case (1, _): scaled(plane.row(y, as: UInt8.self) + component, step, scale, into: target, count: count)
        default: scaled(plane.row(y, as: UInt16.self), 1, scale, into: target, count: count)
        }
    }

    /// Writes a value for each of `columns` by `rows` equal parts of a picture as it is stored: the mean of four of its points.
    ///
    /// Enough to tell whether two pictures show one scene, at a cost that does not grow with their size.
    public static func sample(
        _ picture: PixelBuffer, columns: Int, rows: Int, into target: UnsafeMutablePointer<Float>
    ) {
        let format = picture.format
        let (step, component) = (format.lumaPlace.step, format.lumaPlace.component)
        let scale = 0.25 / Float((1 << format.bitDepth) - 1)
        picture.withPlane(0) { plane in
            func row<T: FixedWidthInteger>(_ y: Int, as type: T.Type) {
                // The points lie a quarter and three quarters into a part, on either axis.
                let upper = plane.row((4 * y + 1) * plane.height / (4 * rows), as: type) + component
                let lower = plane.row((4 * y + 3) * plane.height / (4 * rows), as: type) + component
                for x in 0..<columns {
                    let left = (4 * x + 1) * plane.width / (4 * columns) * step
                    let right = (4 * x + 3) * plane.width / (4 * columns) * step
                    let sum = Int(upper[left]) + Int(upper[right]) + Int(lower[left]) + Int(lower[right])
                    target[y * columns + x] = Float(sum) * scale
                }
            }
            for y in 0..<rows {
                if format.bytesPerComponent == 1 { row(y, as: UInt8.self) } else { row(y, as: UInt16.self) }
            }
        }
    }

    @inline(__always)
    private static func scaled<T: FixedWidthInteger>(
        _ source: UnsafePointer<T>, _ step: Int, _ scale: Float, into target: UnsafeMutablePointer<Float>, count: Int
    ) {
        for x in 0..<count { target[x] = Float(source[x &* step]) * scale }
    }
}
