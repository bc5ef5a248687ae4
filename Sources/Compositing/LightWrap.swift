import Imaging

/// Light of the background that spills over the people's edges.
///
/// The background is gathered on a coarse grid and blurred; towards a person's edge the person's components move towards it,
/// the more the brighter it is. Keeps its working memory, and is therefore for one thread at a time.
final class LightWrap {
    private static let deviation = 14.0

    private var shape = CellGrid()
    private var shapeSpread = GaussianSpread()
    private var spreads = GaussianSpread()
    private var grids: [CellGrid] = []
    private var weights = BackgroundWeights()
    private var colors: [[MapEnlarger]] = []
    /// How much of the background's light each cell takes.
    private var map = ScalarMap(width: 1, height: 1)
    private var share = MapEnlarger()
    private var chromaShare = MapEnlarger()
    private var shareLine: [Float] = []
    private var colorLine: [Float] = []
    private var format = PixelFormat.gray8

    /// Takes in what is behind the people of `frame`; where they are still in `background`, `hasPeople` says so.
    func prepare<T: PixelComponent>(
        _ frame: VideoFrame, mask: PixelBuffer, background: PixelBuffer, hasPeople: Bool, amount: Double,
        as type: T.Type
    ) {
        format = background.format
        let side = max(2, frame.uprightSize.height / 180 / 2 * 2)
        let unit = frame.lengthUnit
        let deviation = (
            across: Self.deviation * unit.across / Double(side), down: Self.deviation * unit.down / Double(side)
        )
        if hasPeople { weights.update(frame, mask: mask, prefersLights: false) }
        gather(background, hasPeople: hasPeople, side: side, deviation: deviation, as: type)
        measureShare(frame, mask, side: side, deviation: deviation, amount: Float(amount))
        let width = background.width
        guard shareLine.count != width else { return }
        shareLine = Array(repeating: 0, count: width)
        colorLine = shareLine
    }

    private func gather<T: PixelComponent>(
        _ background: PixelBuffer, hasPeople: Bool, side: Int, deviation: (across: Double, down: Double),
        as type: T.Type
    ) {
        let layouts = format.planes
        while grids.count < layouts.count { grids.append(CellGrid()) }
        if colors.map(\.count) != layouts.map(\.componentCount) {
            colors = layouts.map { layout in (0..<layout.componentCount).map { _ in MapEnlarger() } }
        }
        background.withPlanes { planes in
            for (index, layout) in layouts.enumerated() {
                let plane = planes[index]
                let cell = (width: side >> layout.horizontalShift, height: side >> layout.verticalShift)
                func gather(_ weights: Plane?) {
                    _ = grids[index].gather(
                        plane, weights: weights, componentCount: layout.componentCount, cell: cell, as: type)
                }
                if hasPeople {
                    weights.withPlane(layout, width: plane.width, height: plane.height) { gather($0) }
                } else {
                    gather(nil)
                }
                spreads.apply(&grids[index].weights, deviation: deviation)
                for component in 0..<layout.componentCount {
                    spreads.apply(&grids[index].values[component], deviation: deviation)
                }
                grids[index].normalize()
                for (enlarger, map) in zip(colors[index], grids[index].values) {
                    enlarger.prepare(map, width: plane.width, height: plane.height)
                }
            }
        }
    }

    private func measureShare(
        _ frame: VideoFrame, _ mask: PixelBuffer, side: Int, deviation: (across: Double, down: Double), amount: Float
    ) {
        mask.withPlane(0) { shape.gatherShares(of: $0, side: side, into: &map) }
        shapeSpread.apply(&map, deviation: deviation)
        let picture = frame.pixelBuffer
        let conversion = ColorConversion(of: frame)
        let black = conversion.exactCodeValues(red: 0, green: 0, blue: 0).x
        let white = conversion.exactCodeValues(frame.color.placing(RGBColor(red: 1, green: 1, blue: 1))).x
        // Of red, green and blue the green one stands for the brightness.
        let brightness = grids[0].values[format.colorModel == .rgb ? format.redGreenBlue[1] : 0]
        map.values.withUnsafeMutableBufferPointer { values in
            for i in values.indices {
                let light = min(max((brightness.values[i] - black) / (white - black), 0), 1)
                values[i] = amount * min(max(1 - values[i], 0), 1) * light
            }
        }
        share.prepare(map, width: picture.width, height: picture.height)
        guard let chroma = format.planes.firstIndex(where: \.isSubsampled) else { return }
        let size = format.planeSize(chroma, width: picture.width, height: picture.height)
        chromaShare.prepare(map, width: size.width, height: size.height)
    }

    /// Writes row `y` of the people in plane `plane`, whose `width` samples are `row`, with the light on it to `target`.
    func apply<T: PixelComponent>(
        _ row: UnsafePointer<T>, y: Int, plane: Int, into target: UnsafeMutablePointer<T>, width: Int
    ) {
        let layout = format.planes[plane]
        let count = layout.componentCount
        shareLine.withUnsafeMutableBufferPointer { share in
            (layout.isSubsampled ? chromaShare : self.share).row(y, into: share.baseAddress!)
            colorLine.withUnsafeMutableBufferPointer { color in
                for component in 0..<count {
                    // A fourth component is alpha, and opaque in both.
                    colors[plane][component].row(y, into: color.baseAddress!)
                    T.mix(
                        row + component, with: color.baseAddress!, shares: share.baseAddress!, step: count,
                        into: target + component, count: width)
                }
            }
        }
    }
}
