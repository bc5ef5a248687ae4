/// Turns a map of the stored picture into a mask of a frame's size: enlarged, or refined against the frame's own luma.
///
/// Takes its pictures from a pool and keeps its working memory; for one thread at a time.
public final class MaskRenderer {
    private let pool = PixelBufferPool()
    private let enlarger = MapEnlarger()
    private var values: [Float] = []
    private var luma: [Float] = []

    public init() {}

    /// The map enlarged to `width` by `height`, in `format` (`gray8`, `grayf16` or `grayf32`).
    public func render(_ map: ScalarMap, width: Int, height: Int, format: PixelFormat) -> PixelBuffer {
        enlarger.prepare(map, width: width, height: height)
        return render(width: width, height: height, format: format) { y, target in enlarger.row(y, into: target) }
    }

    /// The mask that `filter`, fitted to `frame`, gives at the frame's size, in `format`.
    public func render(_ filter: GuidedFilter, guidedBy frame: PixelBuffer, format: PixelFormat) -> PixelBuffer {
        if luma.count != frame.width { luma = Array(repeating: 0, count: frame.width) }
        return frame.withPlane(0) { plane in
            render(width: frame.width, height: frame.height, format: format) { y, target in
                luma.withUnsafeMutableBufferPointer { luma in
                    Luma.row(y, of: plane, format: frame.format, into: luma.baseAddress!)
                    filter.row(y, guide: luma.baseAddress!, into: target)
                }
            }
        }
    }

    private func render(
        width: Int, height: Int, format: PixelFormat, row: (Int, UnsafeMutablePointer<Float>) -> Void
    ) -> PixelBuffer {
        precondition([.gray8, .grayf16, .grayf32].contains(format), "a mask has one component")
        if values.count != width { values = Array(repeating: 0, count: width) }
        var mask = pool.makeBuffer(format: format, width: width, height: height)
        mask.withMutablePlane(0) { plane in
            values.withUnsafeMutableBufferPointer { values in
                let values = values.baseAddress!
                for y in 0..<height {
                    row(y, values)
                    MaskWriter.write(values, count: width, to: plane, row: y, format: format)
                }
            }
        }
        return mask.publish()
    }
}
