import Imaging

/// Tells strangers who are people from things that look like them, by a look at each from nearer by; for one thread at a time.
///
/// Each look may take as long as some masks: there are a few in one frame, and somebody who was refused gets another after a while.
final class StrangerLook {
    /// How many looks there are in one frame at most.
    private static let most = 8
    /// Frames until somebody who was refused gets another look.
    private static let rest = 10

    private let pass: RegionPass
    /// How many looks are left in this frame.
    private var left = most
    /// Where a look showed nobody, and after how many more frames another may.
    private var refused: [(region: Rectangle, rest: Int)] = []

    /// With looks of `pass`, which is for nothing else.
    init(_ pass: RegionPass) { self.pass = pass }

    /// The mask of the stranger who was looked at last.
    var map: ScalarMap { pass.map }

    /// Forgets the scene.
    func reset() { refused = [] }

    /// Goes on to the next frame.
    func advance() {
        refused = refused.filter { $0.rest > 1 }.map { ($0.region, $0.rest - 1) }
        left = Self.most
    }

    /// Whether a look at `stranger`, if there may be one, shows a person in `frame` besides those in `others`, as `regions` judge it.
    /// Those in `neighbours` may turn out to be people, too. That a detector found them in a wider look, as one of those `sighted`, speaks
    /// for them.
    func showsPerson(
        _ stranger: PersonRegions.Stranger, in frame: VideoFrame, besides others: [Rectangle],
        near neighbours: [Rectangle] = [], sighted: [Detection], regions: PersonRegions
    ) throws(VisionError) -> Bool {
        let isRefused = refused.contains { $0.region.intersectionOverUnion(stranger.region) > 0.5 }
        guard left > 0, !isRefused else { return false }
        left -= 1
        pass.reset()
        pass.move(to: stranger.region, share: 0.25)
        try pass.segment(frame)
        let evidence = pass.evidence
        // What no certainty can change needs none.
        var isPerson = regions.isPerson(evidence, certainty: .full, in: stranger.region, besides: neighbours)
        if isPerson {
            let sighting = sighted.first { stranger.box.contains(x: $0.box.midX, y: $0.box.midY) }
            let certainty = try pass.certainty(of: frame, besides: others, sighting: sighting?.score ?? 0)
            isPerson = regions.isPerson(evidence, certainty: certainty, in: stranger.region, besides: neighbours)
        }
        if !isPerson { refused.append((stranger.region, Self.rest)) }
        return isPerson
    }
}
