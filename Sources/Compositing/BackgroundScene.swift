import Imaging

/// Everything that is seen behind the people of a frame, row by row: the background itself and the effects on it.
///
/// Keeps its working memory, and is therefore for one thread at a time.
final class BackgroundScene {
    private enum Source {
        /// Each row of a plane is one of the few that the picture has.
        case rows(PixelBuffer)
        case picture(PixelBuffer)
        /// The frame's own picture; what the people add to its soft edges is taken out row by row.
        case original(PixelBuffer)
        case filtered(FilteredBackground)
    }

    private let pool = PixelBufferPool()
    private let colorRows = ColorRows()
    private let filtered = FilteredBackground()
    private let mosaic = FilteredBackground()
    private let light = LightField()
    private var source: Source?
    /// nil where the source is shown as it is.
    private var tone: Tone?
    private var format = PixelFormat.gray8
    private var width = 0

    /// Whether the people's own colours and alpha are needed for the rows.
    var isOriginal: Bool {
        if case .original = source { true } else { false }
    }

    /// Settles what is behind the people of `frame`; `shape` is where people and their outline are, `mask` where people are.
    func prepare<T: PixelComponent>(
        _ frame: VideoFrame, mask: PixelBuffer, shape: PixelBuffer, background: Background, settings: EffectSettings,
        as type: T.Type
    ) {
        format = frame.pixelBuffer.format
        width = frame.pixelBuffer.width
        tone = nil
        source = source(frame, mask, background, as: type)
        if let side = settings.pixelSide { pixelate(frame, mask, side: side, as: type) }
        let hasHalo = if case .bokeh = background { true } else { false }
        light.prepare(frame, shape: shape, settings: settings, hasHalo: hasHalo)
        if light.uniform != 1 || settings.desaturation > 0 {
            tone = Tone(frame, saturation: 1 - settings.desaturation)
        }
    }

    private func source<T: PixelComponent>(
        _ frame: VideoFrame, _ mask: PixelBuffer, _ background: Background, as type: T.Type
    ) -> Source {
        let unit = frame.lengthUnit
        switch background {
        case .color(let color): return .rows(colorRows.make(color, like: frame, as: type))
        case .original: return .original(frame.pixelBuffer)
        case .picture(let picture):
            let own = frame.pixelBuffer
            precondition(
                picture.format == own.format && picture.width == own.width && picture.height == own.height,
                "a background picture has the frame's format and size")
            return .picture(picture)
        case .blur(let radius):
            let deviation = radius.clamped(to: 0.5 ... .longest)
            let look = BackgroundLook.blur(x: deviation * unit.across, y: deviation * unit.down)
            filtered.prepare(frame.pixelBuffer, like: frame, mask: mask, look: look, as: type)
        case .bokeh(let radius):
            let radius = radius.clamped(to: 1 ... .longest)
            let look = BackgroundLook.bokeh(x: radius * unit.across, y: radius * unit.down)
            filtered.prepare(frame.pixelBuffer, like: frame, mask: mask, look: look, as: type)
        }
        return .filtered(filtered)
    }

    private func pixelate<T: PixelComponent>(_ frame: VideoFrame, _ mask: PixelBuffer, side: Double, as type: T.Type) {
        // Whole samples of every plane, so that the squares of luma and of chroma lie on each other.
        let step = frame.pixelBuffer.format.subsampling
        func whole(_ length: Double, step: Int) -> Double { max((length / Double(step)).rounded(), 1) * Double(step) }
        let unit = frame.lengthUnit
        let look = BackgroundLook.mosaic(
            x: whole(side * unit.across, step: step.width), y: whole(side * unit.down, step: step.height))
        switch source {
        case .rows, nil: return
        case .picture(let picture): mosaic.prepare(picture, like: frame, mask: nil, look: look, as: type)
        case .original(let picture): mosaic.prepare(picture, like: frame, mask: mask, look: look, as: type)
        case .filtered: mosaic.prepare(render(frame, as: type), like: frame, mask: nil, look: look, as: type)
        }
        source = .filtered(mosaic)
    }

    /// The whole background as a picture; of the frame's own picture the people are still in it.
    func render<T: PixelComponent>(_ frame: VideoFrame, as type: T.Type) -> PixelBuffer {
        switch source {
        case .picture(let picture) where tone == nil, .original(let picture) where tone == nil: return picture
        default: break
        }
        var target = pool.makeBuffer(format: format, width: width, height: frame.pixelBuffer.height)
        target.withMutablePlanes { targets in
            withUnsafeTemporaryAllocation(of: T.self, capacity: 4 * width) { line in
                withRows(as: type) { rows in
                    for (plane, target) in targets.enumerated() {
                        let count = target.width * format.planes[plane].componentCount
                        for y in 0..<target.height {
                            let result = target.row(y, as: type)
                            let row = rows.row(y, plane: plane, people: nil, line: line.baseAddress!, toned: result)
                            if row != UnsafePointer(result) { result.update(from: row, count: count) }
                        }
                    }
                }
            }
        }
        return target.publish()
    }

    /// Shows `picture`, which `render` gave, from here on.
    func show(_ picture: PixelBuffer) {
        source = .picture(picture)
        tone = nil
    }

    /// Lets a frame's own picture go, whose memory its lender may wait for.
    func letGo() { if isOriginal { source = nil } }

    /// Calls `body` with the rows; they are valid only during the call.
    func withRows<T: PixelComponent>(as type: T.Type, _ body: (Rows<T>) -> Void) {
        let peak = T(truncatingIfNeeded: (1 << format.bitDepth) - 1)
        func rows(
            _ planes: [Plane], isRepeated: Bool = false, isOriginal: Bool = false, filtered: FilteredBackground? = nil
        ) -> Rows<T> {
            Rows(
                planes: planes, isRepeated: isRepeated, isOriginal: isOriginal, filtered: filtered, tone: tone,
                light: light, format: format, peak: peak)
        }
        switch source {
        case .rows(let picture): picture.withPlanes { body(rows($0, isRepeated: true)) }
        case .picture(let picture): picture.withPlanes { body(rows($0)) }
        case .original(let picture): picture.withPlanes { body(rows($0, isOriginal: true)) }
        case .filtered(let filtered): body(rows([], filtered: filtered))
        case nil: preconditionFailure("a background is prepared before its rows are read")
        }
    }

    /// The people's own components in a row, and their alpha.
    struct People<T> {
        let components: UnsafePointer<T>
        let alpha: UnsafePointer<UInt8>
    }

    struct Rows<T: PixelComponent> {
        fileprivate let planes: [Plane]
        fileprivate let isRepeated: Bool
        fileprivate let isOriginal: Bool
        fileprivate let filtered: FilteredBackground?
        fileprivate let tone: Tone?
        fileprivate let light: LightField
        fileprivate let format: PixelFormat
        fileprivate let peak: T

        /// Row `y` of plane `plane`: in `line` or `toned`, which are two, or where it lies already.
        @inline(__always)
        func row(
            _ y: Int, plane: Int, people: People<T>?, line: UnsafeMutablePointer<T>, toned: UnsafeMutablePointer<T>
        ) -> UnsafePointer<T> {
            var row = UnsafePointer(line)
            if let filtered {
                filtered.row(y, plane: plane, peak: peak, into: line)
            } else {
                let source = planes[plane]
                row = source.row(isRepeated ? y % source.height : y, as: T.self)
                // Where no edge is soft the people's components are the frame's own.
                if isOriginal, let people, people.components != row {
                    T.remainder(
                        row, foreground: people.components, alpha: people.alpha, peak: peak, into: line,
                        count: source.width * format.planes[plane].componentCount)
                    row = UnsafePointer(line)
                }
            }
            guard let tone else { return row }
            let width = filtered == nil ? planes[plane].width : filtered!.width(of: plane)
            light.withRow(y, isSubsampled: format.planes[plane].isSubsampled) { gains in
                tone.apply(
                    row, plane: plane, gains: gains, brightens: light.brightens, into: toned, width: width)
            }
            return UnsafePointer(toned)
        }
    }
}
