import Imaging

/// One region of the frame on its way through the networks, and what is remembered of it from frame to frame; for one thread
/// at a time.
final class RegionPass {
    /// The networks that a pass goes through; shared by all passes of an engine.
    struct Networks {
        /// The one that makes the masks.
        let segmentation: SegmentationNetworks
        let matting: MattingNetwork?
        /// What tells whether a mask shows people.
        let detector: PersonDetector?
        /// What tells by how it looks, where the detector is not sure.
        var verifier: PersonVerifier?
        /// What knows people from whichever side, where the detector is not sure.
        var objectDetector: ObjectDetector?
        /// What looks at somebody from nearer by, one for each close-up.
        var closeUps: [SegmentationNetwork] = []
    }

    /// The region in upright pixels.
    private(set) var rectangle = Rectangle(x: 0, y: 0, width: 0, height: 0)
    /// The last mask of the region.
    private(set) var map = ScalarMap(width: 1, height: 1)

    /// The people's own colours in the region, from a network that gives them.
    var foreground: RGBMap? { lane.foreground }
    /// What speaks for people in the region of the frame whose mask was made.
    var evidence: PersonEvidence { PersonEvidence(map: map) }

    /// The share of the level's pixels that the region gets; nil before it was told.
    private(set) var share: Double?

    /// Whether those in the mask are there.
    var presence = PersonPresence.unknown

    /// Whether the last mask is that of the frame before, taken along.
    private(set) var isPropagated = false

    private let level: LevelDescription
    private let networks: Networks
    /// Width of an upright pixel over its height.
    private let pixelAspect: Double
    private let sampler = FrameSampler()
    private let enlarger = MapEnlarger()
    private var picture = RGBMap(width: 1, height: 1)
    private let finisher: RegionFinisher
    /// Whether no alpha was handed out since the frames before were forgotten.
    private var isNew = true
    private let lane: NetworkLane
    private let closerLook: CloserLook?
    /// Nil where the network has to see every frame.
    private var propagator: MaskPropagator?

    init(_ level: LevelDescription, networks: Networks, pixelAspect: Double) {
        self.level = level
        self.networks = networks
        self.pixelAspect = pixelAspect
        lane = NetworkLane(networks.segmentation)
        finisher = RegionFinisher(level, isSteady: lane.hasMemory)
        propagator = level.propagation.map(MaskPropagator.init)
        closerLook = level.closeUps.flatMap {
            networks.closeUps.isEmpty ? nil : CloserLook($0, networks: networks.closeUps)
        }
    }

    /// Forgets the people whom it has seen.
    func reset() {
        forget()
        presence = .unknown
        share = nil
    }

    /// Forgets the frames before.
    private func forget() {
        lane.forget()
        isNew = true
        closerLook?.reset()
    }

    /// Goes to a region that gets about `share` of the level's pixels. If it is another one, the people who were seen may be there,
    /// too; the frames before are forgotten.
    func move(to rectangle: Rectangle, share: Double = 1) {
        self.share = share
        guard rectangle != self.rectangle else { return }
        self.rectangle = rectangle
        forget()
    }

    /// Makes `map` of the region of `frame`, or takes the last one along, unless the network is `asked`.
    func segment(_ frame: VideoFrame, asked: Bool = false) throws(VisionError) {
        try lane.turn(toWidth: rectangle.width * pixelAspect, height: rectangle.height)
        look(at: frame)
        isPropagated = propagate(unless: asked)
        guard !isPropagated else { return }
        let view = RegionView(
            frame: frame, rectangle: rectangle, width: picture.width, height: picture.height,
            framePixelAspect: pixelAspect)
        let (lane, picture, rectangle) = (lane, picture, rectangle)
        try SideBySide.perform(
            (closerLook?.likelyLooks(at: view) ?? []) + [
                { Result { () throws(VisionError) in try lane.segment(picture, of: frame, rectangle: rectangle) } }
            ])
        try matte(closerLook?.mask(lane.mask, of: view) ?? lane.mask)
        // What a network of the user's own is unsure of may mean what it says.
        if networks.detector != nil { map.emptyUnsureParts() }
    }

    // Takes the mask of the frame before along, if it is known to show people, and how they moved is known.
    private func propagate(unless asked: Bool) -> Bool {
        if isNew || asked || !presence.isPresent { propagator?.reset() }
        guard presence.isPresent else { return false }
        return propagator?.propagate(&map, to: picture) ?? false
    }

    // Makes the picture of the region.
    private func look(at frame: VideoFrame) {
        if let matting = networks.matting, let most = level.matting?.pixels {
            let pixels = Int(Double(most) * (share ?? 1))
            let size = matting.workingSize(
                width: rectangle.width * pixelAspect, height: rectangle.height, pixels: pixels)
            picture.resize(width: size.width, height: size.height)
        } else {
            picture.resize(width: lane.width, height: lane.height)
        }
        sampler.sample(frame, source: rectangle, into: &picture)
    }

    private func matte(_ mask: ScalarMap) throws(VisionError) {
        if let matting = networks.matting {
            try matting.matte(picture, mask: mask, into: &map)
        } else {
            // At the picture's size, whichever the network gives it at.
            map.resize(width: picture.width, height: picture.height)
            enlarger.enlarge(mask, into: &map)
        }
    }

    /// How sure it is that the mask of `frame` shows people besides those in `others`; nil where there is no detector. `sighting` is
    /// how sure the detector was of them in a wider look.
    func certainty(
        of frame: VideoFrame, besides others: [Rectangle] = [], sighting: Double = 0
    ) throws(VisionError) -> PersonCertainty? {
        guard let detector = networks.detector else { return nil }
        let closer = try detector.sighting(
            in: map, of: rectangle, besides: others, frame: frame)
        var certainty = PersonCertainty(confidence: max(closer.confidence, (closer.confidence + sighting) / 2))
        guard certainty.isInDoubt else { return certainty }
        if let verifier = networks.verifier {
            certainty.verification = try verifier.logOdds(
                of: map, seenAs: lane.mask, of: rectangle, lean: closer.lean, frame: frame)
        }
        certainty.objectConfidence = try networks.objectDetector?.confidence(
            in: map, of: rectangle, besides: others, frame: frame)
        return certainty
    }

    /// Empties the mask of `frame` if it shows nobody who is there.
    func verify(_ frame: VideoFrame) throws(VisionError) {
        guard networks.detector != nil else { return }
        // In pixels of the frame: regions and their maps have many sizes.
        let pixels = Float(rectangle.area) / Float(map.values.count)
        let area = pixels * Float(map.values.count { $0 > 0.5 })
        let wasAbsent = presence.isAbsent
        if presence.isLookDue(area), let certainty = try certainty(of: frame) {
            presence.look(certainty, area: area)
        }
        // Nothing is left of what is nobody, and nothing of that in who comes after it.
        if presence.isAbsent != wasAbsent { isNew = true }
        if presence.isAbsent { map.values.withUnsafeMutableBufferPointer { $0.update(repeating: 0) } }
    }

    /// What the full-size mask of `frame`, the frame whose `map` was made, is to be made of, and by whom.
    func unrefined(_ frame: VideoFrame) -> (alpha: RegionAlpha, finisher: RegionFinisher) {
        let alpha = finisher.makeAlpha()
        alpha.map.copy(map, storedAs: frame.orientation)
        sampler.components(of: frame, width: alpha.map.width, height: alpha.map.height, into: &alpha.components)
        alpha.place = placed(in: frame)
        alpha.brightening = frame.illuminant.brightening
        alpha.isNew = isNew
        isNew = false
        return (alpha, finisher)
    }

    private func placed(in frame: VideoFrame) -> Rectangle {
        let place = rectangle.applying(frame.uprightToStored)
        // The rectangle is by whole pixels, but for the arithmetic.
        return Rectangle(
            x: place.x.rounded(), y: place.y.rounded(), width: place.width.rounded(), height: place.height.rounded())
    }
}
