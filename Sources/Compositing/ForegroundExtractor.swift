import Imaging

/// Cuts the people out of a frame: their own pixels, and the mask as straight alpha.
///
/// Nothing of the background is left where alpha is 0. Takes its pictures from a pool; for one thread at a time.
public final class ForegroundExtractor {
    private let pool = PixelBufferPool()
    private var alphaRows = AlphaRows()

    public init() {}

    /// The people of `frame` in the format `frame.pixelBuffer.format.withAlpha`; nil where that format has none.
    ///
    /// `mask` is a `gray8` picture of the stored frame's size. Where alpha is 0, luma, red, green and blue are 0 and chroma
    /// is neutral.
    public func foreground(of frame: VideoFrame, mask: PixelBuffer) -> VideoFrame? {
        let source = frame.pixelBuffer
        precondition(mask.format == .gray8, "a mask for a foreground is gray8")
        precondition(mask.width == source.width && mask.height == source.height, "the mask has the frame's size")
        guard let format = source.format.withAlpha else { return nil }
        var target = pool.makeBuffer(format: format, width: source.width, height: source.height)
        mask.withPlane(0) { alpha in
            source.withPlanes { planes in
                target.withMutablePlanes { targets in
                    if format.bytesPerComponent == 1 {
                        cut(planes, of: source.format, alpha, frame.color, into: targets, format, UInt8.self)
                    } else {
                        cut(planes, of: source.format, alpha, frame.color, into: targets, format, UInt16.self)
                    }
                }
            }
        }
        var result = frame
        result.pixelBuffer = target.publish()
        return result
    }

    private func cut<T: PixelComponent>(
        _ planes: [Plane], of source: PixelFormat, _ alpha: Plane, _ color: ColorDescription,
        into targets: [MutablePlane], _ format: PixelFormat, _ type: T.Type
    ) {
        let neutral = T(1 << (format.bitDepth - 1))
        for target in targets.indices where format.colorModel == .yuv && target < 3 {
            // NV12's second plane holds both chroma components of the target's second and third.
            let plane = min(target, planes.count - 1)
            let layout = source.planes[plane]
            for y in 0..<targets[target].height {
                alphaRows.withRow(
                    y, of: alpha, layout: format.planes[target], width: targets[target].width,
                    chromaLocation: color.chromaLocation
                ) { row in
                    Cutout.row(
                        planes[plane].row(y, as: type) + (target - plane), sourceStep: layout.componentCount,
                        alpha: row,
                        blank: target == 0 ? 0 : neutral, into: targets[target].row(y, as: type), targetStep: 1,
                        count: targets[target].width)
                }
            }
        }
        if format.colorModel == .rgb {
            cutPixels(planes[0], components: source.planes[0].componentCount, alpha, into: targets[0], type)
        } else {
            copy(alpha, into: targets[3], bitDepth: format.bitDepth, type)
        }
    }

    // Red, green and blue keep their places; the fourth component is alpha.
    private func cutPixels<T: PixelComponent>(
        _ source: Plane, components: Int, _ alpha: Plane, into target: MutablePlane, _ type: T.Type
    ) {
        for y in 0..<source.height {
            let row = alpha.row(y, as: UInt8.self)
            let pixels = target.row(y, as: type)
            for component in 0..<3 {
                Cutout.row(
                    source.row(y, as: type) + component, sourceStep: components, alpha: row, blank: 0,
                    into: pixels + component, targetStep: 4, count: source.width)
            }
            for x in 0..<source.width { pixels[4 &* x &+ 3] = T(row[x]) }
        }
    }

    private func copy<T: PixelComponent>(_ alpha: Plane, into target: MutablePlane, bitDepth: Int, _ type: T.Type) {
        let shift = T(bitDepth - 8)
        for y in 0..<alpha.height {
            let source = alpha.row(y, as: UInt8.self)
            let row = target.row(y, as: type)
            // The upper bits come again below, so that 255 becomes the largest value.
            for x in 0..<alpha.width { row[x] = (T(source[x]) &<< shift) | (T(source[x]) &>> (8 &- shift)) }
        }
    }
}
