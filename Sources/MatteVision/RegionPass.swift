import Imaging

/// One region of the frame on its way through the networks, and what is remembered of it from frame to frame; for one thread
/// at a time.
final class RegionPass {
    /// The networks that a pass goes through; shared by all passes of an engine.
    struct Networks {
        /// Those that make the masks.
        let segmentation: [SegmentationNetwork]
        /// Those that are asked as well where it is not sure who is a person.
        let witnesses: [SegmentationNetwork]
        /// What knows people better than these.
        var arbiter: SegmentationNetwork?
        let matting: MattingNetwork?
        /// What tells whether a mask shows people.
        let detector: PersonDetector?
        /// What tells by how it looks, where the detector is not sure.
        var verifier: PersonVerifier?
        /// What knows people from whichever side, where the detector is not sure.
        var objectDetector: ObjectDetector?
        /// What knows people who are seen from head to feet, one for each at most.
        var bodies: [BodyNetwork] = []
        /// What looks at somebody from nearer by, one for each close-up.
        var closeUps: [SegmentationNetwork] = []
    }

    /// How much a mask shares at least with the last one where nobody was lost sight of, as intersection over union.
    private static let continuity = 0.5

    /// The region in upright pixels.
    private(set) var rectangle = Rectangle(x: 0, y: 0, width: 0, height: 0)
    /// The last mask of the region.
    private(set) var map = ScalarMap(width: 1, height: 1)

    /// The people's own colours in the region, from a network that gives them.
    var foreground: RGBMap? { lanes.makers.last?.foreground }
    /// Whether there is somebody to ask in doubt.
    var hasWitnesses: Bool { !lanes.isArbitrated && !lanes.witnesses.isEmpty }

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
    /// The region of the last alpha that was handed out of these people.
    private var lastRectangle: Rectangle?
    private let lanes: RegionLanes
    /// What the witnesses take for people, too, in doubt.
    private var agreed = ScalarMap(width: 1, height: 1)
    /// The share of the level's pixels that the region gets.
    private var share = 1.0
    private let bodyLook: BodyLook?
    /// What was seen of bodies in the region, together with each lane's mask, at the size of that; empty where nothing was.
    private var bodyMasks: [ScalarMap] = []
    private let closerLook: CloserLook?
    /// What was seen from nearer by, together with each lane's mask, at the picture's size; empty where nothing was.
    private var nearMasks: [ScalarMap] = []
    /// Nil where the networks have to see every frame.
    private var propagator: MaskPropagator?

    init(_ level: LevelDescription, networks: Networks, pixelAspect: Double) {
        self.level = level
        self.networks = networks
        self.pixelAspect = pixelAspect
        lanes = RegionLanes(
            networks.segmentation, witnesses: networks.witnesses, arbiter: networks.arbiter,
            interval: level.arbitration?.interval ?? 1, hasCloserLooks: level.closeUps != nil)
        finisher = RegionFinisher(level, isSteady: lanes.hasMemory)
        propagator = level.propagation.map(MaskPropagator.init)
        if let closeUps = level.closeUps, !networks.closeUps.isEmpty {
            closerLook = CloserLook(closeUps, networks: networks.closeUps, isWeighed: networks.matting != nil)
        } else {
            closerLook = nil
        }
        if let detector = networks.detector, !networks.bodies.isEmpty {
            bodyLook = BodyLook(networks.bodies, detector: detector)
        } else {
            bodyLook = nil
        }
    }

    private var aspect: Double { rectangle.width * pixelAspect / rectangle.height }

    /// Forgets the people whom it has seen.
    func reset() {
        forget()
        lanes.reset(aspect: aspect)
        bodyLook?.reset()
        presence = .unknown
        lastRectangle = nil
    }

    /// Forgets the frames before.
    func forget() {
        lanes.forget()
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
        lanes.choose(aspect: aspect)
    }

    /// Makes `map` of the region of `frame`, in which up to `bodies` people's bodies are looked at as well, or takes the last one
    /// along, unless networks are `asked`.
    func segment(_ frame: VideoFrame, bodies: Int, asked: Bool = false) throws(VisionError) {
        look(at: frame)
        isPropagated = propagate(unless: asked)
        guard !isPropagated else { return }
        let view = view(of: frame)
        // What takes longest first.
        var pieces = try bodyLook?.looks(in: rectangle, of: frame, pixelAspect: pixelAspect, most: bodies) ?? []
        if closerLane != nil { pieces += closerLook?.likelyLooks(at: view) ?? [] }
        // Of who comes in there is a shoulder at first, in which no network alone knows a person.
        pieces += lanes.segment(picture, view, mayAskArbiter: !presence.isArriving)
        try SideBySide.perform(pieces)
        lanes.arbitrate()
        // Those of the frame before are written over.
        (bodyMasks, nearMasks) = ([], [])
        bodyMasks = bodyLook?.masks(lanes.masks, of: rectangle, pixelAspect: pixelAspect) ?? []
        try lookCloser(view)
        try matte(continued(coarseMasks, view))
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
            let pixels = Int(Double(most) * share)
            let size = matting.workingSize(
                width: rectangle.width * pixelAspect, height: rectangle.height, pixels: pixels)
            picture.resize(width: size.width, height: size.height)
        } else {
            picture.resize(width: lanes.makers[0].width, height: lanes.makers[0].height)
        }
        sampler.sample(frame, source: rectangle, into: &picture)
    }

    private func view(of frame: VideoFrame) -> RegionView {
        RegionView(
            frame: frame, rectangle: rectangle, width: picture.width, height: picture.height,
            framePixelAspect: pixelAspect)
    }

    private var coarseMasks: [ScalarMap] {
        nearMasks.isEmpty ? masksOfAll : nearMasks
    }

    // Of all of the region, without what was seen from nearer by.
    private var masksOfAll: [ScalarMap] { bodyMasks.isEmpty ? lanes.masks : bodyMasks }

    // The one whose network looks closer; nil where a witness or an arbiter has taken its place, since then it was wrong.
    private var closerLane: NetworkLane? {
        lanes.isArbitrated ? nil : lanes.makers.first { $0.description == networks.closeUps.first?.description }
    }

    // The more a body counts the less the closer look does: who is seen as a whole is known well already.
    private func lookCloser(_ view: RegionView) throws(VisionError) {
        guard let closerLook, let lane = closerLane else { return }
        nearMasks = try closerLook.masks(
            masksOfAll, mask: lane.mask, part: 1 - (bodyLook?.weight ?? 0), of: view
        ) { () throws(VisionError) in
            try lanes.askWitnesses(picture, view)
            return lanes.witnesses.map(\.mask)
        }
    }

    private func matte(_ masks: [ScalarMap]) throws(VisionError) {
        if let matting = networks.matting {
            try matting.matte(picture, masks: masks, into: &map)
        } else {
            take(masks[0])
        }
    }

    // Networks may lose sight of somebody from one frame to the next, as of who leaves the frame. Where a mask of people who are
    // known does not go on from the last one, the mask that does so best, be it a witness's, takes its place.
    private func continued(_ masks: [ScalarMap], _ view: RegionView) throws(VisionError) -> [ScalarMap] {
        func goesOn(_ mask: ScalarMap, from last: ScalarMap) -> Bool {
            MaskOverlap(mask, last).intersectionOverUnion >= Self.continuity
        }
        guard presence.isPresent, !lanes.isArbitrated, let lastRectangle else { return masks }
        let last = lastRectangle == rectangle ? map : map.moved(from: lastRectangle, to: rectangle)
        guard last.values.contains(where: { $0 > 0.5 }), !masks.allSatisfy({ goesOn($0, from: last) })
        else { return masks }
        try lanes.askWitnesses(picture, view)
        let all = masks + lanes.witnesses.map(\.mask)
        let overlaps = all.map { MaskOverlap($0, last).intersectionOverUnion }
        let best = all[overlaps.indices.max { overlaps[$0] < overlaps[$1] }!]
        // Where none goes on, as of who moves fast, those that agree with the best may stay.
        let reference = goesOn(best, from: last) ? last : best
        return masks.map { goesOn($0, from: reference) ? $0 : best }
    }

    /// What speaks for people in the region of `frame`, the frame whose mask was made.
    func evidence(of frame: VideoFrame) throws(VisionError) -> PersonEvidence {
        PersonEvidence(map: map, agreement: try lanes.agreement(picture, view(of: frame)) ?? 1)
    }

    /// How sure it is that the mask of `frame` shows people besides those in `others`; nil where there is no detector. `sighting` is
    /// how sure the detector was of them in a wider look.
    func certainty(
        of frame: VideoFrame, besides others: [Rectangle] = [], sighting: Double = 0
    ) throws(VisionError) -> PersonCertainty? {
        guard let detector = networks.detector else { return nil }
        let closer = try detector.sighting(
            in: map, of: rectangle, besides: others, frame: frame, pixelAspect: pixelAspect)
        var certainty = PersonCertainty(confidence: max(closer.confidence, (closer.confidence + sighting) / 2))
        guard certainty.isInDoubt else { return certainty }
        if let verifier = networks.verifier {
            certainty.verification = try verifier.logOdds(
                of: map, masks: lanes.allMasks(picture, view(of: frame)), of: rectangle, lean: closer.lean,
                frame: frame, pixelAspect: pixelAspect)
        }
        certainty.objectConfidence = try networks.objectDetector?.confidence(
            in: map, of: rectangle, besides: others, frame: frame, pixelAspect: pixelAspect)
        return certainty
    }

    /// Empties the mask of `frame` if it shows nobody who is there.
    func verify(_ frame: VideoFrame) throws(VisionError) {
        guard networks.detector != nil else { return }
        // In pixels of the frame: regions and their maps have many sizes.
        let pixels = Float(rectangle.area) / Float(map.values.count)
        let area = pixels * Float(map.values.count { $0 > 0.5 })
        if presence.isLookDue(area), let certainty = try certainty(of: frame) {
            presence.look(certainty, area: area)
        }
        if presence.isAbsent { map.values.withUnsafeMutableBufferPointer { $0.update(repeating: 0) } }
    }

    /// Makes `map` once more, from now on by a witness who sees people in the same place, if that one's mask is not doubtful, and the
    /// network's own a flood, or of a more squeezed picture; or else by all, which only a matting network can weigh.
    func reconsider(
        _ frame: VideoFrame, isDoubtful: (ScalarMap) -> Bool, isFlooded: (ScalarMap) -> Bool
    ) throws(VisionError) {
        guard lanes.makers.count == 1, hasWitnesses else { return }
        try lanes.askWitnesses(picture, view(of: frame))
        if lanes.replaceMaker(aspect: aspect, isDoubtful: isDoubtful, isFlooded: isFlooded) {
            (nearMasks, bodyMasks) = ([], [])
            return try matte(coarseMasks)
        }
        if let matting = networks.matting {
            try matting.matte(picture, masks: lanes.masks + lanes.witnesses.map(\.mask), into: &map)
        }
    }

    /// Makes `map` once more, by what the witnesses take for people, too; with what was seen from nearer by and of the body. Where all
    /// networks make the mask it stays: the one that knows people best would be heard no more than the others.
    func agree(_ frame: VideoFrame) throws(VisionError) {
        guard hasWitnesses else { return }
        try lanes.askWitnesses(picture, view(of: frame))
        take(coarseMasks[0])
        agreed.copy(map)
        for mask in coarseMasks.dropFirst() + lanes.witnesses.map(\.mask) {
            take(mask)
            agreed.lower(to: map)
        }
        if let matting = networks.matting {
            try matting.matte(picture, masks: [agreed], into: &map)
        } else {
            map.copy(agreed)
        }
    }

    // At the picture's size, whichever the network gives it at.
    private func take(_ mask: ScalarMap) {
        map.resize(width: picture.width, height: picture.height)
        enlarger.enlarge(mask, into: &map)
    }

    /// What the full-size mask of `frame`, the frame whose `map` was made, is to be made of, and by whom.
    func unrefined(_ frame: VideoFrame) -> (alpha: RegionAlpha, finisher: RegionFinisher) {
        let alpha = finisher.makeAlpha()
        alpha.map.copy(map, storedAs: frame.orientation)
        sampler.components(of: frame, width: alpha.map.width, height: alpha.map.height, into: &alpha.components)
        alpha.place = placed(in: frame)
        alpha.isNew = isNew
        isNew = false
        lastRectangle = rectangle
        return (alpha, finisher)
    }

    private func placed(in frame: VideoFrame) -> Rectangle {
        let place = rectangle.applying(frame.uprightToStored)
        // The rectangle is by whole pixels, but for the arithmetic.
        return Rectangle(
            x: place.x.rounded(), y: place.y.rounded(), width: place.width.rounded(), height: place.height.rounded())
    }
}
