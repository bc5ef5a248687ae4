import Imaging

/// Puts a background behind the people of a frame, in the frame's own pixel format.
///
/// Where the mask is soft, the old background's share is taken out of the frame's colours first, so that it does not glow
/// around hair and blurred hands. The frame is only read; the result comes from a pool, so that no memory of pixel size is
/// allocated per frame in the steady state. For one thread at a time. Costs most where the mask is soft; `make gallery`
/// measures what each background and effect costs.
public final class Compositor {
    private let pool = PixelBufferPool()
    private let estimator = ForegroundEstimator()
    private let scene = BackgroundScene()
    private let outlineShape = OutlineShape()
    private let outlineColor = ColorRows()
    private let lightWrap = LightWrap()
    private var outlineAlpha = AlphaRows()

    /// A compositor that has seen nothing yet.
    public init() {}

    /// The frame where `mask` is 255, the background where it is 0, and a mix of people and background in between;
    /// everything else travels on.
    ///
    /// `mask` is a `gray8` picture of the stored frame's size, such as `GeneratePersonSegmentationRequest` makes. Chroma planes
    /// use the mask at their own size and siting. A mask of another format or size is a caller's mistake, and traps, and
    /// so is a frame that is in none of `PixelFormat.videoFormats`. A frame's alpha is left out, and the result opaque; only
    /// `.original` without effects gives the frame itself.
    /// `foreground` holds the people's own colours, upright and at any size, from a network that gives them; without them they
    /// are estimated. `effects` are put on the background or around the people.
    public func composite(
        _ frame: VideoFrame, mask: PixelBuffer, foreground: RGBMap? = nil, over background: Background,
        effects: [Effect] = []
    ) -> VideoFrame {
        let source = frame.pixelBuffer
        precondition(PixelFormat.videoFormats.contains(source.format), "a frame has a format of videoFormats")
        precondition(mask.format == .gray8, "a mask for compositing is gray8")
        precondition(mask.width == source.width && mask.height == source.height, "the mask has the frame's size")
        let settings = EffectSettings(effects)
        if case .original = background, settings == EffectSettings([]) { return frame }
        var target = pool.makeBuffer(format: source.format, width: source.width, height: source.height)
        if source.format.bytesPerComponent == 1 {
            composite(frame, mask, foreground, background, settings, as: UInt8.self, into: &target)
        } else {
            composite(frame, mask, foreground, background, settings, as: UInt16.self, into: &target)
        }
        scene.letGo()
        var result = frame
        result.pixelBuffer = target.publish()
        return result
    }

    private func composite<T: PixelComponent>(
        _ frame: VideoFrame, _ mask: PixelBuffer, _ foreground: RGBMap?, _ background: Background,
        _ settings: EffectSettings, as type: T.Type, into target: inout MutablePixelBuffer
    ) {
        let outline = settings.outline.map { outline in
            let unit = frame.lengthUnit
            return Outline(
                shape: outlineShape.grow(mask, by: (outline.width * unit.across, outline.width * unit.down)),
                color: outlineColor.make(outline.color, like: frame, as: type))
        }
        let people = outline.map { outlineShape.clip(mask, to: $0.shape) } ?? mask
        scene.prepare(
            frame, mask: mask, shape: outline?.shape ?? mask, background: background, settings: settings, as: type)
        if settings.lightWrap > 0 {
            let picture = scene.render(frame, as: type)
            lightWrap.prepare(
                frame, mask: mask, background: picture, hasPeople: scene.isOriginal, amount: settings.lightWrap,
                as: type)
            if !scene.isOriginal { scene.show(picture) }
        }
        blend(
            frame, people, foreground, outline: outline, wrapsLight: settings.lightWrap > 0, as: type, into: &target)
    }

    /// The band around the people, and people; and its colour.
    private struct Outline {
        let shape: PixelBuffer
        let color: PixelBuffer
    }

    private func blend<T: PixelComponent>(
        _ frame: VideoFrame, _ mask: PixelBuffer, _ foreground: RGBMap?, outline: Outline?, wrapsLight: Bool,
        as type: T.Type, into target: inout MutablePixelBuffer
    ) {
        let layouts = frame.pixelBuffer.format.planes
        let capacity = 4 * frame.pixelBuffer.width
        withUnsafeTemporaryAllocation(of: T.self, capacity: 4 * capacity) { lines in
            let (line, toned) = (lines.baseAddress!, lines.baseAddress! + capacity)
            let (outlined, wrapped) = (toned + capacity, toned + 2 * capacity)
            target.withMutablePlanes { targets in
                scene.withRows(as: type) { rows in
                    estimator.forEachRow(of: frame, mask: mask, foreground: foreground, as: type) { row in
                        let (plane, layout) = (targets[row.plane], layouts[row.plane])
                        let count = plane.width * layout.componentCount
                        var people = row.components
                        var background = rows.row(
                            row.y, plane: row.plane, people: .init(components: people, alpha: row.alpha), line: line,
                            toned: toned)
                        if let outline {
                            draw(
                                outline, over: background, row.y, row.plane, frame, width: plane.width, into: outlined)
                            background = UnsafePointer(outlined)
                        }
                        if wrapsLight, !AlphaStretch.isClear(row.alpha, count: count) {
                            lightWrap.apply(
                                people, y: row.y, plane: row.plane, into: wrapped, width: plane.width)
                            people = UnsafePointer(wrapped)
                        }
                        let result = plane.row(row.y, as: type)
                        T.blend(
                            foreground: people, background: background, alpha: row.alpha, into: result, count: count)
                        // A fourth component is alpha: people whom it hid would leave a hole in the background.
                        guard layout.componentCount == 4 else { return }
                        for x in 0..<plane.width { result[4 &* x &+ 3] = 255 }
                    }
                }
            }
        }
    }

    private func draw<T: PixelComponent>(
        _ outline: Outline, over background: UnsafePointer<T>, _ y: Int, _ plane: Int, _ frame: VideoFrame, width: Int,
        into target: UnsafeMutablePointer<T>
    ) {
        let layout = frame.pixelBuffer.format.planes[plane]
        outline.shape.withPlane(0) { shape in
            outline.color.withPlane(plane) { color in
                outlineAlpha.withRow(
                    y, of: shape, layout: layout, width: width, chromaLocation: frame.color.chromaLocation,
                    isInterlaced: frame.isInterlaced
                ) { alpha in
                    T.blend(
                        foreground: color.row(y % color.height, as: T.self), background: background, alpha: alpha,
                        into: target, count: width * layout.componentCount)
                }
            }
        }
    }
}
