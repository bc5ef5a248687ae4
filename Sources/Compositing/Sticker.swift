import Imaging

/// People with what goes around them where nothing is behind: an outline and a shadow, and the alpha of all of it.
///
/// Keeps its working memory, and is therefore for one thread at a time.
final class Sticker {
    private let pool = PixelBufferPool()
    private let outlineShape = OutlineShape()
    private let light = LightField()
    private let colorRows = ColorRows()
    private var solidRows = AlphaRows()
    private var alphaRows = AlphaRows()

    /// What is drawn for one frame.
    struct Parts {
        /// The people and their outline.
        let solid: PixelBuffer
        /// The same and the shadow.
        let alpha: PixelBuffer
        fileprivate let outlineColor: PixelBuffer?
        fileprivate let tone: Tone
        fileprivate let frame: VideoFrame
    }

    /// Settles the parts for `frame` with its `mask`.
    func prepare<T: PixelComponent>(
        _ frame: VideoFrame, mask: PixelBuffer, settings: EffectSettings, as type: T.Type
    ) -> Parts {
        let unit = frame.lengthUnit
        let shape = settings.outline.map {
            outlineShape.grow(mask, by: ($0.width * unit.across, $0.width * unit.down))
        }
        // What of the mask lies beyond the band is left out.
        let solid = shape ?? mask
        var shadow = EffectSettings([])
        shadow.shadowOpacity = settings.shadowOpacity
        light.prepare(frame, shape: solid, settings: shadow, hasHalo: false)
        return Parts(
            solid: solid, alpha: settings.shadowOpacity > 0 ? withShadow(solid) : solid,
            outlineColor: settings.outline.map { colorRows.make($0.color, like: frame, as: type) },
            tone: Tone(frame, saturation: 1), frame: frame)
    }

    /// Row `y` of plane `plane`, in which `people` with alpha lie over their outline: in `line` or `shaded`, which are two, or
    /// where the people are.
    func row<T: PixelComponent>(
        _ parts: Parts, people: UnsafePointer<T>, alpha: UnsafePointer<UInt8>, y: Int, plane: Int, width: Int,
        line: UnsafeMutablePointer<T>, shaded: UnsafeMutablePointer<T>
    ) -> UnsafePointer<T> {
        var row = people
        if let color = parts.outlineColor {
            color.withPlane(plane) { color in
                T.blend(
                    foreground: people, background: color.row(y % color.height, as: T.self), alpha: alpha,
                    into: line, count: width * parts.frame.pixelBuffer.format.planes[plane].componentCount)
            }
            row = UnsafePointer(line)
        }
        guard light.uniform == nil else { return row }
        darken(parts, row, y: y, plane: plane, width: width, into: shaded)
        return UnsafePointer(shaded)
    }

    /// Calls `body` with the alpha of everything in row `y` of plane `plane`, one for each component.
    func withAlpha(_ parts: Parts, y: Int, plane: Int, width: Int, _ body: (UnsafePointer<UInt8>) -> Void) {
        parts.alpha.withPlane(0) {
            alphaRows.withRow(
                y, of: $0, layout: parts.frame.pixelBuffer.format.planes[plane], width: width,
                chromaLocation: parts.frame.color.chromaLocation, isInterlaced: parts.frame.isInterlaced, body)
        }
    }

    // The shadow is black: a colour keeps the share that the solid parts have of alpha.
    private func darken<T: PixelComponent>(
        _ parts: Parts, _ row: UnsafePointer<T>, y: Int, plane: Int, width: Int, into target: UnsafeMutablePointer<T>
    ) {
        let single = parts.frame.pixelBuffer.format.planes[plane].withOneComponent
        let (location, isInterlaced) = (parts.frame.color.chromaLocation, parts.frame.isInterlaced)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { shares in
            let shares = shares.baseAddress!
            parts.solid.withPlane(0) { solid in
                solidRows.withRow(
                    y, of: solid, layout: single, width: width, chromaLocation: location, isInterlaced: isInterlaced
                ) { solid in
                    for x in 0..<width { shares[x] = Float(solid[x]) }
                }
            }
            parts.alpha.withPlane(0) { alpha in
                alphaRows.withRow(
                    y, of: alpha, layout: single, width: width, chromaLocation: location, isInterlaced: isInterlaced
                ) { alpha in
                    for x in 0..<width { shares[x] = alpha[x] == 0 ? 1 : min(shares[x] / Float(alpha[x]), 1) }
                }
            }
            parts.tone.apply(row, plane: plane, gains: shares, brightens: false, into: target, width: width)
        }
    }

    private func withShadow(_ solid: PixelBuffer) -> PixelBuffer {
        combine(solid) { y, target in
            light.withRow(y, isSubsampled: false) { gains in
                for x in 0..<solid.width {
                    let clear = Float(255 &- target[x]) * gains[x]
                    target[x] = 255 &- UInt8(nearest: clear)
                }
            }
        }
    }

    /// A copy of `mask` in which `body` changes every row.
    private func combine(_ mask: PixelBuffer, _ body: (Int, UnsafeMutablePointer<UInt8>) -> Void) -> PixelBuffer {
        pool.makeMask(like: mask) { y, row, target in
            target.update(from: row, count: mask.width)
            body(y, target)
        }
    }
}
