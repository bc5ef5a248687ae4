import Imaging

/// One colour as a picture of as many rows as a chroma sample covers, in a frame's format and width: every row of such a
/// background is one of its rows.
struct ColorRows {
    private let pool = PixelBufferPool()

    /// `color` as the frame's primaries and transfer show it; a fourth component is alpha, and opaque.
    func make<T: PixelComponent>(_ color: RGBColor, like frame: VideoFrame, as type: T.Type) -> PixelBuffer {
        let picture = frame.pixelBuffer
        let format = picture.format
        let color = frame.color.placing(color)
        let values = ColorConversion(of: frame).codeValues(red: color.red, green: color.green, blue: color.blue)
        let rows = format.subsampling.height
        var target = pool.makeBuffer(format: format, width: picture.width, height: rows)
        target.withMutablePlanes { planes in
            for (index, plane) in planes.enumerated() {
                let components = format.codeIndices(ofPlane: index).map { code in
                    T(truncatingIfNeeded: code.map { values[$0] } ?? 255)
                }
                for y in 0..<plane.height {
                    let row = plane.row(y, as: type)
                    for x in 0..<plane.width {
                        for (place, value) in components.enumerated() { row[x * components.count + place] = value }
                    }
                }
            }
        }
        return target.publish()
    }
}
