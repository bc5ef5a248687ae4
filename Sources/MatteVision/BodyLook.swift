import Imaging

/// Looks at the bodies of a region's people, side by side; for one thread at a time, but for the looks that it hands out.
final class BodyLook {
    /// The share of the smaller of two bodies that both cover where they are the same one.
    private static let same = 0.5

    /// One body's network, and what it has seen. Each is the matter of one thread alone, hence `@unchecked Sendable`.
    private final class Shot: @unchecked Sendable {
        let network: BodyNetwork
        /// The network's own memory: it is gone before the next look.
        var body: Body?

        init(_ network: BodyNetwork) { self.network = network }

        func look(at square: TurnedSquare, in frame: VideoFrame) throws(VisionError) {
            body = try network.look(at: square, in: frame)
        }
    }

    private let shots: [Shot]
    private let detector: PersonDetector
    private var tracker = BodyTracker()
    /// Each body's mask, and all bodies' together with each segmentation network's; kept for the next time.
    private var drawn: [ScalarMap]
    private var joined: [ScalarMap] = []

    /// With a network for each body that is followed at most.
    init(_ networks: [BodyNetwork], detector: PersonDetector) {
        shots = networks.map(Shot.init)
        drawn = networks.map { _ in ScalarMap(width: 1, height: 1) }
        self.detector = detector
    }

    /// How much bodies count beside segmentation networks, 0…1.
    var weight: Float { tracker.weight }

    /// Forgets the people.
    func reset() { tracker = BodyTracker() }

    /// The looks at up to `most` bodies in `region` of `frame`, to be taken before `masks`.
    func looks(
        in region: Rectangle, of frame: VideoFrame, pixelAspect: Double, most: Int
    ) throws(VisionError) -> [SideBySide.Piece] {
        let most = min(most, shots.count)
        if tracker.isSearchDue(most: most) {
            tracker.found(try detector.bodies(in: region, of: frame, pixelAspect: pixelAspect), most: most)
        }
        tracker.keep(in: frame, most: most)
        return zip(shots, tracker.squares).map { shot, square in
            { Result { () throws(VisionError) in try shot.look(at: square, in: frame) } }
        }
    }

    /// What `masks`, segmentation networks' of `region`, and the bodies that were seen say together; empty where no body counts.
    func masks(_ masks: [ScalarMap], of region: Rectangle, pixelAspect: Double) -> [ScalarMap] {
        let bodies = shots.compactMap(\.body)
        for shot in shots { shot.body = nil }
        guard !bodies.isEmpty else { return [] }
        draw(bodies, of: region, pixelAspect: pixelAspect, sizedAs: masks[0])
        let counted = tracker.look(bodies) { Self.isSame(drawn[$0], drawn[$1]) }
        guard !counted.isEmpty else { return [] }
        while joined.count < masks.count { joined.append(ScalarMap(width: 1, height: 1)) }
        for (index, mask) in masks.enumerated() {
            if index > 0 { draw(bodies, of: region, pixelAspect: pixelAspect, sizedAs: mask) }
            joined[index].copy(drawn[counted[0]])
            for other in counted.dropFirst() { joined[index].raise(to: drawn[other]) }
            OtherPeople(in: mask, besides: joined[index]).join(mask, to: &joined[index], weight: tracker.weight)
        }
        return joined
    }

    private func draw(_ bodies: [Body], of region: Rectangle, pixelAspect: Double, sizedAs mask: ScalarMap) {
        for (index, body) in bodies.enumerated() {
            drawn[index].resize(width: mask.width, height: mask.height)
            body.draw(region, pixelAspect: pixelAspect, into: &drawn[index])
        }
    }

    /// Whether two masks show the same body.
    static func isSame(_ first: ScalarMap, _ second: ScalarMap) -> Bool {
        let overlap = MaskOverlap(first, second)
        return overlap.both > 0 && Double(overlap.both) >= same * Double(min(overlap.first, overlap.second))
    }
}
