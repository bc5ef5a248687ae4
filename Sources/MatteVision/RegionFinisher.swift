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
    func patch(_ alpha: RegionAlpha, of frame: VideoFrame) -> MaskPatch {
        defer { free.withLock { $0.append(alpha) } }
        let place = alpha.place
        let (x, y, width, height) = (Int(place.x), Int(place.y), Int(place.width), Int(place.height))
        let noise = NoiseEstimator.deviations(
            of: frame.pixelBuffer, color: frame.color, columns: x..<x + width, rows: y..<y + height)
        if alpha.isNew { smoother.reset() }
        if !isSteady {
            // A pixel of the region's picture is the mean of so many of the frame's.
            let share = Float(alpha.map.width * alpha.map.height) / Float(max(1, width * height))
            smoother.smooth(
                &alpha.map, components: alpha.components, brightening: alpha.brightening,
                noise: noise.max() * min(1, share.squareRoot()))
        }
        if let refinement {
            return MaskPatch(
                x: x, y: y, width: width, height: height, of: frame.pixelBuffer,
                refiner: refiner(refinement, width: alpha.map.width, height: alpha.map.height), mask: alpha.map,
                components: alpha.components, noise: noise)
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
