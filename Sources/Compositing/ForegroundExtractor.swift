import Imaging

/// Cuts the people out of a frame: their own colours, and the mask as straight alpha.
///
/// Nothing of the background is left where alpha is 0, and its share is taken out where alpha is soft. An outline and a shadow
/// may go around them. Takes its pictures from a pool; for one thread at a time.
public final class ForegroundExtractor {
    private let pool = PixelBufferPool()
    private let estimator = ForegroundEstimator()
    private let sticker = Sticker()

    /// An extractor that has seen nothing yet.
    public init() {}

    /// The people of `frame` in the format `frame.pixelBuffer.format.withAlpha`; nil where that format has none.
    ///
    /// `mask` is a `gray8` picture of the stored frame's size; another format or size is a caller's mistake, and traps. Where
    /// alpha is 0, luma, red, green and blue are 0 and chroma is neutral.
    /// `foreground` holds their own colours, upright and at any size, from a network that gives them; without them they are
    /// estimated. Of `effects` an outline and a shadow are drawn; the others are for backgrounds, and change nothing.
    public func foreground(
        of frame: VideoFrame, mask: PixelBuffer, foreground: RGBMap? = nil, effects: [Effect] = []
    ) -> VideoFrame? {
        let source = frame.pixelBuffer
        precondition(mask.format == .gray8, "a mask for a foreground is gray8")
        precondition(mask.width == source.width && mask.height == source.height, "the mask has the frame's size")
        guard let format = source.format.withAlpha else { return nil }
        var target = pool.makeBuffer(format: format, width: source.width, height: source.height)
        let settings = EffectSettings(effects)
        target.withMutablePlanes { targets in
            if format.bytesPerComponent == 1 {
                cut(frame, mask, foreground, settings, into: targets, format, UInt8.self)
            } else {
                cut(frame, mask, foreground, settings, into: targets, format, UInt16.self)
            }
        }
        var result = frame
        result.pixelBuffer = target.publish()
        return result
    }

    private func cut<T: PixelComponent>(
        _ frame: VideoFrame, _ mask: PixelBuffer, _ foreground: RGBMap?, _ settings: EffectSettings,
        into targets: [MutablePlane], _ format: PixelFormat, _ type: T.Type
    ) {
        let parts =
            settings.outline != nil || settings.shadowOpacity > 0
            ? sticker.prepare(frame, mask: mask, settings: settings, as: type) : nil
        let capacity = 4 * frame.pixelBuffer.width
        withUnsafeTemporaryAllocation(of: T.self, capacity: 2 * capacity) { lines in
            let line = lines.baseAddress!
            estimator.forEachRow(of: frame, mask: mask, foreground: foreground, as: type) { row in
                guard let parts else { return cut(row, row.components, row.alpha, frame, into: targets, format) }
                let width = targets[format.colorModel == .rgb ? 0 : row.plane].width
                let solid = sticker.row(
                    parts, people: row.components, alpha: row.alpha, y: row.y, plane: row.plane, width: width,
                    line: line, shaded: line + capacity)
                sticker.withAlpha(parts, y: row.y, plane: row.plane, width: width) { alpha in
                    cut(row, solid, alpha, frame, into: targets, format)
                }
            }
        }
        (parts?.alpha ?? mask).withPlane(0) { alpha in
            if format.colorModel == .rgb {
                copyInterleaved(alpha, into: targets[0], type)
            } else {
                copy(alpha, into: targets[3], bitDepth: format.bitDepth, type)
            }
        }
    }

    private func cut<T: PixelComponent>(
        _ row: ForegroundEstimator.Row<T>, _ source: UnsafePointer<T>, _ alpha: UnsafePointer<UInt8>,
        _ frame: VideoFrame, into targets: [MutablePlane], _ format: PixelFormat
    ) {
        let neutral = T(1 << (format.bitDepth - 1))
        let components = frame.pixelBuffer.format.planes[row.plane].componentCount
        // Red, green and blue keep their places in one plane; NV12's second plane becomes the second and third.
        let isPacked = format.colorModel == .rgb
        for component in 0..<(isPacked ? 3 : components) {
            let target = targets[isPacked ? 0 : row.plane + component]
            Cutout.row(
                source + component, alpha: alpha + component, sourceStep: components,
                blank: isPacked || row.plane == 0 ? 0 : neutral,
                into: target.row(row.y, as: T.self) + (isPacked ? component : 0), targetStep: isPacked ? 4 : 1,
                count: target.width)
        }
    }

    private func copyInterleaved<T: PixelComponent>(_ alpha: Plane, into target: MutablePlane, _ type: T.Type) {
        for y in 0..<alpha.height {
            let source = alpha.row(y, as: UInt8.self)
            let row = target.row(y, as: type)
            for x in 0..<alpha.width { row[4 &* x &+ 3] = T(source[x]) }
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
