/// The brightness of a frame's pixels as a guide for filters: the first component, or the green one of an RGB format, as a
/// fraction of the largest code value.
public enum Luma {
    /// Which component of a picture in `format` it is, in the order of the colour model.
    public static func component(of format: PixelFormat) -> Int { format.colorModel == .rgb ? 1 : 0 }

    /// Writes the `columns` of row `y` of `plane`, the first plane of a picture in `format`.
    @inline(__always)
    public static func row(
        _ y: Int, of plane: Plane, columns: Range<Int>, format: PixelFormat, into target: UnsafeMutablePointer<Float>
    ) {
        let (step, component) = place(in: format)
        let scale = 1 / Float((1 << format.bitDepth) - 1)
        let first = columns.lowerBound * step
        let count = columns.count
        switch (format.bytesPerComponent, step) {
        case (1, 1): scaled(plane.row(y, as: UInt8.self) + first, 1, scale, into: target, count: count)
        case (1, _): scaled(plane.row(y, as: UInt8.self) + (first + component), step, scale, into: target, count: count)
        default: scaled(plane.row(y, as: UInt16.self) + first, 1, scale, into: target, count: count)
        }
    }

    /// Writes a value for each of `columns` by `rows` equal parts of a picture as it is stored: the mean of four of its points.
    ///
    /// Enough to tell whether two pictures show one scene, at a cost that does not grow with their size.
    public static func sample(
        _ picture: PixelBuffer, columns: Int, rows: Int, into target: UnsafeMutablePointer<Float>
    ) {
        let format = picture.format
        let (step, component) = place(in: format)
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

    // Components of a sample of the first plane, and which of them it is.
    @inline(__always)
    private static func place(in format: PixelFormat) -> (step: Int, component: Int) {
        (format.planes[0].componentCount, format.colorModel == .rgb ? format.redGreenBlue[1] : 0)
    }

    @inline(__always)
    private static func scaled<T: FixedWidthInteger>(
        _ source: UnsafePointer<T>, _ step: Int, _ scale: Float, into target: UnsafeMutablePointer<Float>, count: Int
    ) {
        for x in 0..<count { target[x] = Float(source[x &* step]) * scale }
    }
}
