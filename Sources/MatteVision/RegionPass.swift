import Imaging

/// One region of the frame on its way through the networks, and what is remembered of it from frame to frame; for one thread
/// at a time.
final class RegionPass {
    /// The networks that a pass goes through; shared by all passes of an engine.
    struct Networks {
        let segmentation: [SegmentationNetwork]
        let matting: MattingNetwork?
    }

    /// The region in upright pixels.
    private(set) var rectangle = Rectangle(x: 0, y: 0, width: 0, height: 0)
    /// The last mask of the region.
    private(set) var map = ScalarMap(width: 1, height: 1)

    /// The people's own colours in the region, from a network that gives them.
    private(set) var foreground: RGBMap?
    /// What speaks for people in the region.
    var evidence: PersonRegions.Evidence {
        let agreement = masks.dropFirst().map { Self.agreement(masks[0], $0) }.min() ?? 1
        return PersonRegions.Evidence(map: map, agreement: agreement)
    }

    private let level: LevelDescription
    private let networks: Networks
    private let sampler = FrameSampler()
    private let resampler = RGBResampler()
    private let enlarger = MapEnlarger()
    private var picture = RGBMap(width: 1, height: 1)
    private var guide = ScalarMap(width: 1, height: 1)
    /// `map` as the frame is stored, on its way to the frame's size.
    private var stored = ScalarMap(width: 1, height: 1)
    private var shrunk: [RGBMap]
    private var masks: [ScalarMap]
    private var states: [RecurrentState] = []
    private var cuts = SceneCutDetector()
    private var smoother: TemporalSmoother
    private var filter: GuidedFilter?

    init(_ level: LevelDescription, networks: Networks) {
        self.level = level
        self.networks = networks
        shrunk = networks.segmentation.map {
            RGBMap(width: $0.description.input.width, height: $0.description.input.height)
        }
        masks = networks.segmentation.map { _ in ScalarMap(width: 1, height: 1) }
        smoother = TemporalSmoother(level.smoothing)
        forget()
    }

    /// Forgets the frames before.
    func forget() {
        states = networks.segmentation.map { RecurrentState($0.description) }
        cuts.reset()
        smoother.reset()
    }

    /// Goes to another region, of which nothing is known.
    func move(to rectangle: Rectangle) {
        guard rectangle != self.rectangle else { return }
        self.rectangle = rectangle
        forget()
    }

    /// Takes in the region of `frame`, at about `share` of the level's pixels, and tells whether another scene begins with it.
    func look(at frame: VideoFrame, share: Double = 1) -> Bool {
        if let matting = networks.matting, let most = level.matting?.pixels {
            let pixels = Int(Double(most) * share)
            let size = matting.workingSize(width: rectangle.width, height: rectangle.height, pixels: pixels)
            picture.resize(width: size.width, height: size.height)
        } else {
            picture.resize(width: shrunk[0].width, height: shrunk[0].height)
        }
        sampler.sample(frame, source: rectangle, into: &picture)
        for index in shrunk.indices where !isSeenWhole(index) {
            resampler.resample(picture, into: &shrunk[index])
        }
        return cuts.isCut(view(index: 0).values)
    }

    // Whether a network sees the picture at the size that it has.
    private func isSeenWhole(_ index: Int) -> Bool {
        shrunk[index].width == picture.width && shrunk[index].height == picture.height
    }

    private func view(index: Int) -> RGBMap { isSeenWhole(index) ? picture : shrunk[index] }

    /// Makes `map` of what was looked at.
    func segment() throws(VisionError) {
        for (index, network) in networks.segmentation.enumerated() {
            foreground = try network.segment(view(index: index), state: &states[index], into: &masks[index])
        }
        if let matting = networks.matting {
            try matting.matte(picture, masks: masks, into: &map)
        } else {
            map.copy(masks[0])
        }
    }

    /// The mask for the stored pixels of `frame`, the frame that was looked at.
    func patch(of frame: VideoFrame) -> MaskPatch {
        stored.copy(map, storedAs: frame.orientation)
        let place = placed(in: frame)
        let (x, y, width, height) = (Int(place.x), Int(place.y), Int(place.width), Int(place.height))
        // A network may give its mask at another size than that of its picture; then there is nothing to compare it with.
        if map.width == picture.width, map.height == picture.height {
            guide.resize(width: stored.width, height: stored.height)
            sampler.luma(of: frame, into: &guide)
            // A network with a memory keeps its masks steady itself.
            if states.allSatisfy(\.tensors.isEmpty) { smoother.smooth(&stored, luma: guide) }
            if let refinement = level.refinement {
                return MaskPatch(
                    x: x, y: y, width: width, height: height, of: frame.pixelBuffer,
                    filter: filter(refinement, width: stored.width, height: stored.height), mask: stored, guide: guide)
            }
        }
        enlarger.prepare(stored, width: width, height: height)
        return MaskPatch(x: x, y: y, width: width, height: height, enlarger: enlarger)
    }

    // Intersection over union, by the pixels of the first.
    private static func agreement(_ first: ScalarMap, _ second: ScalarMap) -> Double {
        var (both, either) = (0, 0)
        for y in 0..<first.height {
            let row = y * second.height / first.height * second.width
            for x in 0..<first.width {
                let a = first.values[y * first.width + x] > 0.5
                let b = second.values[row + x * second.width / first.width] > 0.5
                if a && b { both += 1 }
                if a || b { either += 1 }
            }
        }
        return either > 0 ? Double(both) / Double(either) : 0
    }

    private func placed(in frame: VideoFrame) -> Rectangle {
        let place = rectangle.applying(frame.uprightToStored)
        // The rectangle is by whole pixels, but for the arithmetic.
        return Rectangle(
            x: place.x.rounded(), y: place.y.rounded(), width: place.width.rounded(), height: place.height.rounded())
    }

    private func filter(_ refinement: LevelDescription.Refinement, width: Int, height: Int) -> GuidedFilter {
        if let filter, filter.width == width, filter.height == height { return filter }
        let made = GuidedFilter(
            width: width, height: height, radius: refinement.radius, epsilon: refinement.epsilon,
            contrast: refinement.contrast)
        filter = made
        return made
    }
}
