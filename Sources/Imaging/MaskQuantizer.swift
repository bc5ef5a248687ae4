/// Turns a floating-point mask into whole numbers of 10 or 16 bits.
///
/// Takes its pictures from a pool; for one thread at a time.
public final class MaskQuantizer {
    private let pool = PixelBufferPool()

    public init() {}

    /// `mask`, a `grayf32` picture with values in 0…1, in `format`: `gray10` or `gray16`, full range.
    public func quantize(_ mask: PixelBuffer, to format: PixelFormat) -> PixelBuffer {
        precondition(mask.format == .grayf32, "a mask to quantise is grayf32")
        precondition(format == .gray10 || format == .gray16, "beyond 8 bits a mask is gray10 or gray16")
        let peak = Float((1 << format.bitDepth) - 1)
        var target = pool.makeBuffer(format: format, width: mask.width, height: mask.height)
        mask.withPlane(0) { source in
            target.withMutablePlane(0) { target in
                for y in 0..<source.height {
                    let values = source.row(y, as: Float.self)
                    let row = target.row(y, as: UInt16.self)
                    for x in 0..<source.width {
                        row[x] = UInt16(nearest: values[x] * peak)
                    }
                }
            }
        }
        return target.publish()
    }
}
