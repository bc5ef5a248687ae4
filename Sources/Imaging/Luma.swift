/// The brightness of a frame's pixels as a guide for filters: the first component, or the green one of an RGB format, as a
/// fraction of the largest code value.
public enum Luma {
    /// Writes row `y` of `plane`, the first plane of a picture in `format`.
    @inline(__always)
    static func row(_ y: Int, of plane: Plane, format: PixelFormat, into target: UnsafeMutablePointer<Float>) {
        let step = format.planes[0].componentCount
        let component = format.colorModel == .rgb ? format.redGreenBlue[1] : 0
        let scale = 1 / Float((1 << format.bitDepth) - 1)
        switch (format.bytesPerComponent, step) {
        case (1, 1): scaled(plane.row(y, as: UInt8.self), 1, scale, into: target, count: plane.width)
        case (1, _): scaled(plane.row(y, as: UInt8.self) + component, step, scale, into: target, count: plane.width)
        default: scaled(plane.row(y, as: UInt16.self), 1, scale, into: target, count: plane.width)
        }
    }

    @inline(__always)
    private static func scaled<T: FixedWidthInteger>(
        _ source: UnsafePointer<T>, _ step: Int, _ scale: Float, into target: UnsafeMutablePointer<Float>, count: Int
    ) {
        for x in 0..<count { target[x] = Float(source[x &* step]) * scale }
    }

    /// The guide at a small size: every value the mean of the pixels that it covers.
    public static func map(of buffer: PixelBuffer, width: Int, height: Int) -> ScalarMap {
        var map = ScalarMap(width: width, height: height)
        var line = [Float](repeating: 0, count: buffer.width)
        var sums = line
        // Column x covers the pixels from edges[x] up to edges[x + 1]; one at least, where the map is the larger one.
        let edges = (0...width).map { $0 * buffer.width / width }
        buffer.withPlane(0) { plane in
            line.withUnsafeMutableBufferPointer { line in
                sums.withUnsafeMutableBufferPointer { sums in
                    for y in 0..<height {
                        let top = y * buffer.height / height
                        let bottom = max(top + 1, (y + 1) * buffer.height / height)
                        Luma.row(top, of: plane, format: buffer.format, into: sums.baseAddress!)
                        for row in top + 1..<max(bottom, top + 1) {
                            Luma.row(row, of: plane, format: buffer.format, into: line.baseAddress!)
                            for x in sums.indices { sums[x] += line[x] }
                        }
                        for x in 0..<width {
                            let (left, right) = (edges[x], max(edges[x] + 1, edges[x + 1]))
                            var sum: Float = 0
                            for column in left..<right { sum += sums[column] }
                            map.values[y * width + x] = sum / Float((right - left) * (bottom - top))
                        }
                    }
                }
            }
        }
        return map
    }
}
