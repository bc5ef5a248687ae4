import Imaging
import Synchronization

/// Steadies a region's alpha with those before it and fits it to the full-size frame; for one thread at a time, beside the one
/// that makes the next alpha.
final class RegionFinisher {
    private let refinement: LevelDescription.Refinement?
    private let isSteady: Bool
    private var smoother: TemporalSmoother
    private var refiner: MaskRefiner?
    private let enlarger = MapEnlarger()
    /// Those that nobody needs any more.
    private let free = Mutex<[RegionAlpha]>([])

    /// As `level` has it; nothing is steadied that `isSteady` by itself.
    init(_ level: LevelDescription, isSteady: Bool) {
        refinement = level.refinement
        smoother = TemporalSmoother(level.smoothing)
        self.isSteady = isSteady
    }

    /// An alpha to be written, of any size and content; on any thread.
    func makeAlpha() -> RegionAlpha { free.withLock { $0.popLast() } ?? RegionAlpha() }

    /// The mask for the stored pixels of `frame`; takes `alpha`, the next one of the region, back.
    func patch(_ alpha: RegionAlpha, of frame: PixelBuffer) -> MaskPatch {
        defer { free.withLock { $0.append(alpha) } }
        if alpha.isNew { smoother.reset() }
        if !isSteady { smoother.smooth(&alpha.map, components: alpha.components) }
        let place = alpha.place
        let (x, y, width, height) = (Int(place.x), Int(place.y), Int(place.width), Int(place.height))
        if let refinement {
            return MaskPatch(
                x: x, y: y, width: width, height: height, of: frame,
                refiner: refiner(refinement, width: alpha.map.width, height: alpha.map.height), mask: alpha.map,
                components: alpha.components)
        }
        enlarger.prepare(alpha.map, width: width, height: height)
        return MaskPatch(x: x, y: y, width: width, height: height, enlarger: enlarger)
    }

    private func refiner(_ refinement: LevelDescription.Refinement, width: Int, height: Int) -> MaskRefiner {
        if let refiner, refiner.width == width, refiner.height == height { return refiner }
        let made = MaskRefiner(
            width: width, height: height,
            settings: MaskRefiner.Settings(
                radius: refinement.radius, lumaVariance: refinement.lumaVariance,
                chromaVariance: refinement.chromaVariance, contrast: refinement.contrast))
        refiner = made
        return made
    }
}
