/// A rectangle of a frame and the mask that a filter gives for it.
public struct MaskPatch {
    /// Left edge in the stored frame, in pixels.
    public let x: Int
    /// Upper edge in the stored frame, in pixels.
    public let y: Int
    let source: Source

    enum Source {
        case map(MapEnlarger, width: Int, height: Int)
        case filter(GuidedFilter)
    }

    /// The rows of `enlarger`, which was prepared for `width` by `height` pixels.
    public init(x: Int, y: Int, width: Int, height: Int, enlarger: MapEnlarger) {
        (self.x, self.y) = (x, y)
        source = .map(enlarger, width: width, height: height)
    }

    /// The rows of `filter`, fitted to `mask` and `guide` for the `width` by `height` pixels of `frame` from (x, y) on.
    public init(
        x: Int, y: Int, width: Int, height: Int, of frame: PixelBuffer, filter: GuidedFilter, mask: ScalarMap,
        guide: ScalarMap
    ) {
        (self.x, self.y) = (x, y)
        source = .filter(filter)
        let noise = frame.withPlane(0) {
            NoiseEstimator.deviation(of: $0, columns: x..<x + width, rows: y..<y + height, format: frame.format)
        }
        filter.fit(mask: mask, guide: guide, fullWidth: width, fullHeight: height, noise: noise)
    }

    public var width: Int {
        switch source {
        case .map(_, let width, _): width
        case .filter(let filter): filter.fullWidth
        }
    }

    public var height: Int {
        switch source {
        case .map(_, _, let height): height
        case .filter(let filter): filter.fullHeight
        }
    }

    /// Writes row `row` of a patch without a filter.
    func enlarge(_ row: Int, into target: UnsafeMutablePointer<Float>) {
        guard case .map(let enlarger, _, _) = source else { preconditionFailure("a filter writes its runs") }
        enlarger.row(row, into: target)
    }
}
