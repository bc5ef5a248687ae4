import Imaging

/// Joins the maps of both passes at one size, and fits them to the frame.
final class MaskRefinement {
    /// The share of the crop's side over which it fades into the first pass's map.
    private static let fade = 0.06

    private let description: LevelDescription.Refinement
    private let uprightWidth: Int
    private let uprightHeight: Int
    private let width: Int
    private let height: Int
    private let enlarger = MapEnlarger()
    private var filter: GuidedFilter?

    /// For frames of `width` by `height` upright pixels.
    init(_ description: LevelDescription.Refinement, width: Int, height: Int) {
        self.description = description
        uprightWidth = width
        uprightHeight = height
        self.width = min(description.width, width)
        self.height = max(1, height * self.width / width)
    }

    /// A guided filter that is fitted to the luma of `frame`, for its stored size.
    func fit(_ map: ScalarMap, closeUp: (map: ScalarMap, region: Rectangle)?, to frame: VideoFrame) -> GuidedFilter {
        var joined = ScalarMap(width: width, height: height)
        enlarger.prepare(map, width: width, height: height)
        joined.values.withUnsafeMutableBufferPointer { values in
            for y in 0..<height { enlarger.row(y, into: values.baseAddress! + y * width) }
        }
        if let closeUp { paste(closeUp.map, region: closeUp.region, into: &joined) }
        let stored = joined.stored(as: frame.orientation)
        let filter = filter(width: stored.width, height: stored.height)
        let buffer = frame.pixelBuffer
        let guide = Luma.map(of: buffer, width: stored.width, height: stored.height)
        filter.fit(mask: stored, guide: guide, fullWidth: buffer.width, fullHeight: buffer.height)
        return filter
    }

    private func filter(width: Int, height: Int) -> GuidedFilter {
        if let filter, filter.width == width, filter.height == height { return filter }
        let made = GuidedFilter(
            width: width, height: height, radius: description.radius, epsilon: description.epsilon,
            contrast: description.contrast)
        filter = made
        return made
    }

    // Inside the region the second pass counts; towards an edge of the region that is not one of the frame it fades out.
    private func paste(_ map: ScalarMap, region: Rectangle, into joined: inout ScalarMap) {
        let scale = Double(width) / Double(uprightWidth)
        let down = Double(height) / Double(uprightHeight)
        let left = Int((region.x * scale).rounded(.up))
        let right = min(width, Int((region.maxX * scale).rounded(.down)))
        let top = Int((region.y * down).rounded(.up))
        let bottom = min(height, Int((region.maxY * down).rounded(.down)))
        for y in top..<max(top, bottom) {
            let inner = (Double(y) + 0.5) / down - region.y
            let position = inner / region.height * Double(map.height) - 0.5
            let row = min(max(position, 0), Double(map.height - 1))
            let (y0, fy) = (Int(row), Float(row - row.rounded(.down)))
            let y1 = min(y0 + 1, map.height - 1)
            let weightY = weight(
                inner / region.height, startsInside: region.y > 0, endsInside: region.maxY < Double(uprightHeight))
            for x in left..<max(left, right) {
                let across = (Double(x) + 0.5) / scale - region.x
                let column = min(max(across / region.width * Double(map.width) - 0.5, 0), Double(map.width - 1))
                let (x0, fx) = (Int(column), Float(column - column.rounded(.down)))
                let x1 = min(x0 + 1, map.width - 1)
                let upper = map.values[y0 * map.width + x0] * (1 - fx) + map.values[y0 * map.width + x1] * fx
                let lower = map.values[y1 * map.width + x0] * (1 - fx) + map.values[y1 * map.width + x1] * fx
                let value = upper + (lower - upper) * fy
                let weight =
                    weightY
                    * weight(
                        across / region.width, startsInside: region.x > 0,
                        endsInside: region.maxX < Double(uprightWidth))
                let index = y * width + x
                joined.values[index] += (value - joined.values[index]) * weight
            }
        }
    }

    private func weight(_ position: Double, startsInside: Bool, endsInside: Bool) -> Float {
        let fromStart = startsInside ? position / Self.fade : 1
        let fromEnd = endsInside ? (1 - position) / Self.fade : 1
        return Float(min(1, max(0, min(fromStart, fromEnd))))
    }
}
