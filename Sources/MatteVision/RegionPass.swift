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
        let matting: MattingNetwork?
        /// What tells whether a mask shows people.
        let detector: PersonDetector?
        /// What knows people who are seen from head to feet, one for each at most.
        var bodies: [BodyNetwork] = []
        /// What looks at somebody from nearer by, one for each close-up.
        var closeUps: [SegmentationNetwork] = []
    }

    /// The region in upright pixels.
    private(set) var rectangle = Rectangle(x: 0, y: 0, width: 0, height: 0)
    /// The last mask of the region.
    private(set) var map = ScalarMap(width: 1, height: 1)

    /// The people's own colours in the region, from a network that gives them.
    var foreground: RGBMap? { lanes.last?.foreground }
    /// Whether there is somebody to ask in doubt.
    var hasWitnesses: Bool { !witnesses.isEmpty }

    /// Whether those in the mask are there.
    var presence = PersonPresence.unknown

    /// How much of a witness's mask must lie in the doubtful one, and how much of that it must be at least.
    private static let (inside, share) = (0.8, 0.2)
    /// By how much a network may squeeze a region; a witness that does so less is asked instead.
    private static let squeezed = 2.0

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
    /// Those that make the masks and the witnesses, as the level has them.
    private let allLanes: [NetworkLane]
    private var lanes: [NetworkLane] = []
    private var witnesses: [NetworkLane] = []
    /// What all networks take for people, in doubt.
    private var agreed = ScalarMap(width: 1, height: 1)
    /// Whether the witnesses have seen what was looked at.
    private var isWitnessed = false
    /// The frame that was looked at, until its mask is made.
    private var frame: VideoFrame?
    private let bodyLook: BodyLook?
    /// What was seen of bodies in the region, together with each lane's mask, at the size of that; empty where nothing was.
    private var bodyMasks: [ScalarMap] = []
    private let closerLook: CloserLook?
    /// What was seen from nearer by, together with each lane's mask, at the picture's size; empty where nothing was.
    private var nearMasks: [ScalarMap] = []

    init(_ level: LevelDescription, networks: Networks, pixelAspect: Double) {
        self.level = level
        self.networks = networks
        self.pixelAspect = pixelAspect
        allLanes = (networks.segmentation + networks.witnesses).map(NetworkLane.init)
        // A network with a memory keeps its masks steady itself.
        finisher = RegionFinisher(level, isSteady: allLanes.contains(where: \.hasMemory))
        if let closeUps = level.closeUps, !networks.closeUps.isEmpty {
            closerLook = CloserLook(closeUps, networks: networks.closeUps)
        } else {
            closerLook = nil
        }
        if let detector = networks.detector, !networks.bodies.isEmpty {
            bodyLook = BodyLook(networks.bodies, detector: detector)
        } else {
            bodyLook = nil
        }
        arrangeLanes()
    }

    private func arrangeLanes() {
        lanes = Array(allLanes.prefix(networks.segmentation.count))
        witnesses = Array(allLanes.dropFirst(lanes.count))
        chooseLane()
    }

    /// Forgets the people whom it has seen.
    func reset() {
        forget()
        arrangeLanes()
        bodyLook?.reset()
        presence = .unknown
    }

    /// Forgets the frames before.
    func forget() {
        for lane in lanes { lane.forget() }
        isNew = true
        closerLook?.reset()
    }

    /// Goes to another region, of which nothing is known.
    func move(to rectangle: Rectangle) {
        guard rectangle != self.rectangle else { return }
        self.rectangle = rectangle
        forget()
        chooseLane()
    }

    // In a picture squeezed too much people look less like people: a witness of a better shape takes over then.
    private func chooseLane() {
        guard lanes.count == 1, squeeze(lanes[0]) > Self.squeezed else { return }
        guard let best = witnesses.indices.min(by: { squeeze(witnesses[$0]) < squeeze(witnesses[$1]) }) else { return }
        if squeeze(witnesses[best]) < squeeze(lanes[0]) { swap(&lanes[0], &witnesses[best]) }
    }

    private func squeeze(_ lane: NetworkLane) -> Double {
        lane.description.input.distance(fromAspect: rectangle.width * pixelAspect / rectangle.height)
    }

    /// Takes in the region of `frame`, at about `share` of the level's pixels.
    func look(at frame: VideoFrame, share: Double = 1) {
        if let matting = networks.matting, let most = level.matting?.pixels {
            let pixels = Int(Double(most) * share)
            let size = matting.workingSize(
                width: rectangle.width * pixelAspect, height: rectangle.height, pixels: pixels)
            picture.resize(width: size.width, height: size.height)
        } else {
            picture.resize(width: lanes[0].width, height: lanes[0].height)
        }
        isWitnessed = false
        sampler.sample(frame, source: rectangle, into: &picture)
        self.frame = frame
    }

    /// Makes `map` of what was looked at, in which up to `bodies` people's bodies are looked at as well.
    func segment(bodies: Int) throws(VisionError) {
        guard let frame else { preconditionFailure("a frame is looked at before it is segmented") }
        self.frame = nil
        let view = CloserLook.View(
            frame: frame, rectangle: rectangle, width: picture.width, height: picture.height, pixelAspect: pixelAspect)
        // What takes longest first.
        var pieces = try bodyLook?.looks(in: rectangle, of: frame, pixelAspect: pixelAspect, most: bodies) ?? []
        if closerLane != nil { pieces += closerLook?.likelyLooks(at: view) ?? [] }
        pieces += lanes.map { segmentation(by: $0, of: frame) }
        try SideBySide.perform(pieces)
        // Those of the frame before are written over.
        (bodyMasks, nearMasks) = ([], [])
        bodyMasks = bodyLook?.masks(lanes.map(\.mask), of: rectangle, pixelAspect: pixelAspect) ?? []
        try lookCloser(view)
        try matte()
    }

    private func segmentation(by lane: NetworkLane, of frame: VideoFrame) -> SideBySide.Piece {
        { [picture, rectangle] in
            Result { () throws(VisionError) in try lane.segment(picture, of: frame, rectangle: rectangle) }
        }
    }

    private var coarseMasks: [ScalarMap] {
        nearMasks.isEmpty ? masksOfAll : nearMasks
    }

    // Of all of the region, without what was seen from nearer by.
    private var masksOfAll: [ScalarMap] { bodyMasks.isEmpty ? lanes.map(\.mask) : bodyMasks }

    // The one whose network looks closer; nil where a witness has taken its place, since then it was wrong.
    private var closerLane: NetworkLane? {
        lanes.first { $0.description == networks.closeUps.first?.description }
    }

    // The more a body counts the less the closer look does: who is seen as a whole is known well already.
    private func lookCloser(_ view: CloserLook.View) throws(VisionError) {
        guard let closerLook, let lane = closerLane else { return }
        nearMasks = try closerLook.masks(
            masksOfAll, mask: lane.mask, part: 1 - (bodyLook?.weight ?? 0), of: view)
    }

    private func matte() throws(VisionError) {
        if let matting = networks.matting {
            try matting.matte(picture, masks: coarseMasks, into: &map)
        } else {
            take(coarseMasks[0])
        }
    }

    /// What speaks for people in the region of `frame`, the frame whose mask was made.
    func evidence(of frame: VideoFrame) throws(VisionError) -> PersonEvidence {
        PersonEvidence(map: map, agreement: try agreement(frame) ?? 1)
    }

    /// How sure it is that the mask of `frame` shows people besides those in `others`; nil where there is no detector.
    func certainty(
        of frame: VideoFrame, besides others: [Rectangle] = []
    ) throws(VisionError) -> PersonCertainty? {
        guard let detector = networks.detector else { return nil }
        func look(inMirror: Bool) throws(VisionError) -> Double {
            try detector.confidence(
                in: map, of: rectangle, besides: others, frame: frame, pixelAspect: pixelAspect, inMirror: inMirror)
        }
        let confidence = try look(inMirror: false)
        var certainty = PersonCertainty(confidence: confidence)
        guard !presence.isPresent, PersonCertainty.doubtful.contains(confidence) else { return certainty }
        certainty.agreement = try agreement(frame) ?? 1
        certainty.mirrorAgreement = try mirrorAgreement(frame) ?? 1
        certainty.isDecided = PersonEvidence.isDecided(map)
        if certainty.dependsOnMirror { certainty.mirrorConfidence = try look(inMirror: true) }
        return certainty
    }

    // How far all networks agree about the people in `frame`.
    private func agreement(_ frame: VideoFrame) throws(VisionError) -> Double? {
        try askWitnesses(frame)
        return (lanes.dropFirst() + witnesses).map { Self.agreement(lanes[0].mask, $0.mask) }.min()
    }

    // How far the first one agrees with itself about them when it sees them in a mirror; nil where it has a memory.
    private func mirrorAgreement(_ frame: VideoFrame) throws(VisionError) -> Double? {
        guard !lanes[0].hasMemory else { return nil }
        let mirrored = try lanes[0].mirroredMask(picture, of: frame, rectangle: rectangle)
        return Self.agreement(lanes[0].mask, mirrored)
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
        guard lanes.count == 1, !witnesses.isEmpty else { return }
        try askWitnesses(frame)
        let doubtful = lanes[0].mask
        let isFlood = isFlooded(doubtful)
        let sure = witnesses.firstIndex { witness in
            // A soft mask may show somebody whom a witness of a worse shape does not see at all.
            (isFlood || squeeze(witness) < squeeze(lanes[0])) && Self.isPart(witness.mask, of: doubtful)
                && !isDoubtful(witness.mask)
        }
        if let sure {
            (lanes[0], witnesses[sure]) = (witnesses[sure], lanes[0])
            (nearMasks, bodyMasks) = ([], [])
            return try matte()
        }
        if let matting = networks.matting {
            try matting.matte(picture, masks: (lanes + witnesses).map(\.mask), into: &map)
        }
    }

    /// Makes `map` once more, by what all networks, witnesses too, take for people; with what was seen from nearer by and of the
    /// body.
    func agree(_ frame: VideoFrame) throws(VisionError) {
        guard lanes.count + witnesses.count > 1 else { return }
        try askWitnesses(frame)
        take(coarseMasks[0])
        agreed.copy(map)
        for mask in coarseMasks.dropFirst() + witnesses.map(\.mask) {
            take(mask)
            agreed.values.withUnsafeMutableBufferPointer { agreed in
                for i in agreed.indices { agreed[i] = min(agreed[i], map.values[i]) }
            }
        }
        if let matting = networks.matting {
            try matting.matte(picture, masks: [agreed], into: &map)
        } else {
            map.copy(agreed)
        }
    }

    private func askWitnesses(_ frame: VideoFrame) throws(VisionError) {
        guard !isWitnessed else { return }
        for witness in witnesses {
            try witness.segment(picture, of: frame, rectangle: rectangle)
        }
        isWitnessed = true
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
        return (alpha, finisher)
    }

    // Intersection over union.
    private static func agreement(_ first: ScalarMap, _ second: ScalarMap) -> Double {
        let (ofFirst, ofSecond, both) = areas(first, second)
        let either = ofFirst + ofSecond - both
        return either > 0 ? Double(both) / Double(either) : 0
    }

    // A flood goes on beyond the people, who are a part of it.
    private static func isPart(_ mask: ScalarMap, of flood: ScalarMap) -> Bool {
        let (ofFlood, ofMask, both) = areas(flood, mask)
        return Double(both) >= inside * Double(ofMask) && Double(ofMask) >= share * Double(ofFlood) && ofMask > 0
    }

    // Of people in either and in both, by the pixels of the first.
    private static func areas(_ first: ScalarMap, _ second: ScalarMap) -> (first: Int, second: Int, both: Int) {
        var areas = (first: 0, second: 0, both: 0)
        for y in 0..<first.height {
            let row = y * second.height / first.height * second.width
            for x in 0..<first.width {
                let a = first.values[y * first.width + x] > 0.5
                let b = second.values[row + x * second.width / first.width] > 0.5
                if a { areas.first += 1 }
                if b { areas.second += 1 }
                if a && b { areas.both += 1 }
            }
        }
        return areas
    }

    private func placed(in frame: VideoFrame) -> Rectangle {
        let place = rectangle.applying(frame.uprightToStored)
        // The rectangle is by whole pixels, but for the arithmetic.
        return Rectangle(
            x: place.x.rounded(), y: place.y.rounded(), width: place.width.rounded(), height: place.height.rounded())
    }
}
