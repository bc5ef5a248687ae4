/// A rectangle of a frame and its mask.
public struct MaskPatch {
    /// Left edge in the stored frame, in pixels.
    public let x: Int
    /// Upper edge in the stored frame, in pixels.
    public let y: Int
    let source: Source

    enum Source {
        case map(MapEnlarger, width: Int, height: Int)
        case refiner(MaskRefiner)
    }

    /// The rows of `enlarger`, which was prepared for `width` by `height` pixels.
    public init(x: Int, y: Int, width: Int, height: Int, enlarger: MapEnlarger) {
        (self.x, self.y) = (x, y)
        source = .map(enlarger, width: width, height: height)
    }

    /// The rows of `refiner`, fitted to `mask` and to `components`, those of the `width` by `height` pixels of `frame` from (x, y)
    /// on at the mask's size, with `noise` as `NoiseEstimator` tells it of them.
    public init(
        x: Int, y: Int, width: Int, height: Int, of frame: PixelBuffer, refiner: MaskRefiner, mask: ScalarMap,
        components: [ScalarMap], noise: SIMD3<Float>
    ) {
        (self.x, self.y) = (x, y)
        source = .refiner(refiner)
        refiner.fit(
            mask: mask, components: components, colorModel: frame.format.colorModel, fullWidth: width,
            fullHeight: height, noise: noise)
    }

    public var width: Int {
        switch source {
        case .map(_, let width, _): width
        case .refiner(let refiner): refiner.fullWidth
        }
    }

    public var height: Int {
        switch source {
        case .map(_, _, let height): height
        case .refiner(let refiner): refiner.fullHeight
        }
    }

    /// Writes row `row` of a patch without a refiner.
    func enlarge(_ row: Int, into target: UnsafeMutablePointer<Float>) {
        guard case .map(let enlarger, _, _) = source else { preconditionFailure("a refiner writes its runs") }
        enlarger.row(row, into: target)
    }
}
