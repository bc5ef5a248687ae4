import Imaging

/// What one quality level does with frames of one size; for one thread at a time.
final class SegmentationEngine {
    private let level: LevelDescription
    private let width: Int
    private let height: Int
    private let network: SegmentationNetwork
    /// The network of the second pass, with a state of its own.
    private let closeUp: SegmentationNetwork?
    private let refinement: MaskRefinement?
    private let renderer = MaskRenderer()
    private var cuts = SceneCutDetector()
    private var smoother: TemporalSmoother
    private var closeUpSmoother: TemporalSmoother
    private var region = PersonRegion()
    private var lastTime: Double?

    /// Loads the networks of `level` for frames of `width` by `height` upright pixels.
    init(
        level name: String, models: ModelLibrary, width: Int, height: Int, sampling: SegmentationNetwork.Sampling
    ) throws(VisionError) {
        let manifest = try models.manifest()
        guard let level = manifest.levels[name] else {
            throw VisionError(.invalid, "the manifest of the models has no level '\(name)'")
        }
        let aspect = Double(width) / Double(height)
        let candidates: [(description: ModelDescription, directory: String)]
        if let own = try models.ownSegmentationModel() {
            candidates = [own]
        } else {
            let directory = try models.resolvedDirectory()
            candidates = manifest.models.filter { level.segmentation.contains($0.name) }
                .sorted { level.segmentation.firstIndex(of: $0.name)! < level.segmentation.firstIndex(of: $1.name)! }
                .map { ($0, directory) }
        }
        // Rounded, so that aspects that are equally far (4:3 between 1:1 and 16:9) leave the choice to the order.
        func distance(_ input: ModelDescription.Input) -> Int {
            let ratio = Double(input.width) / Double(input.height) / aspect
            return Int((max(ratio, 1 / ratio) * 1000).rounded())
        }
        guard let chosen = candidates.min(by: { distance($0.description.input) < distance($1.description.input) })
        else {
            throw VisionError(.invalid, "the level '\(name)' names no network that the manifest of the models has")
        }
        self.level = level
        self.width = width
        self.height = height
        network = try SegmentationNetwork(
            chosen.description, directory: chosen.directory, library: models, sampling: sampling)
        closeUp =
            level.followsPeople
            ? try SegmentationNetwork(chosen.description, directory: chosen.directory, library: models) : nil
        refinement = level.refinement.map { MaskRefinement($0, width: width, height: height) }
        smoother = TemporalSmoother(level.smoothing)
        closeUpSmoother = TemporalSmoother(level.smoothing)
    }

    func serves(width: Int, height: Int) -> Bool { width == self.width && height == self.height }

    func reset() {
        cuts.reset()
        lastTime = nil
        forgetScene()
    }

    private func forgetScene() {
        smoother.reset()
        closeUpSmoother.reset()
        region.reset()
        network.forget()
        closeUp?.forget()
    }

    /// The mask of `frame`, whose upright size is the engine's.
    func mask(of frame: VideoFrame, format: PixelFormat) throws(VisionError) -> PixelBuffer {
        if let time = frame.time {
            if let lastTime, time < lastTime { reset() }
            lastTime = time
        }
        let whole = Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
        network.look(at: frame, source: whole)
        if cuts.isCut(network.picture) { forgetScene() }
        var map = try network.segment()
        smoother.smooth(&map, picture: network.picture)
        let closeUpMap = try segmentCloseUp(frame, around: map)
        let buffer = frame.pixelBuffer
        guard let refinement else {
            return renderer.render(
                map.stored(as: frame.orientation), width: buffer.width, height: buffer.height, format: format)
        }
        let filter = refinement.fit(map, closeUp: closeUpMap, to: frame)
        return renderer.render(filter, guidedBy: buffer, format: format)
    }

    private func segmentCloseUp(
        _ frame: VideoFrame, around map: ScalarMap
    ) throws(VisionError) -> (map: ScalarMap, region: Rectangle)? {
        guard let closeUp else { return nil }
        let past = region.rectangle
        guard let rectangle = region.follow(map, width: width, height: height) else { return nil }
        if rectangle != past {
            // The past lies elsewhere in this crop.
            closeUpSmoother.reset()
            closeUp.forget()
        }
        closeUp.look(at: frame, source: rectangle)
        var closeUpMap = try closeUp.segment()
        closeUpSmoother.smooth(&closeUpMap, picture: closeUp.picture)
        return (closeUpMap, rectangle)
    }
}
