import Imaging

/// The segmentation networks that see one region: those that make its mask, and witnesses that are asked where it is not sure who
/// is a person; for one thread at a time, but for the pieces of work that it hands out.
final class RegionLanes {
    /// How much of a witness's mask must lie in the doubtful one, and how much of that it must be at least.
    private static let (inside, share) = (0.8, 0.2)
    /// By how much a network may squeeze a region, alone and beside closer looks, which make up for it; a witness that does so less
    /// makes the mask instead.
    private static let (squeezed, squeezedBesideCloserLooks) = (1.35, 2.0)

    /// Those that make the masks and the witnesses, as the level has them.
    private let all: [NetworkLane]
    private let mostSqueezed: Double
    /// Those that make the mask.
    private(set) var makers: [NetworkLane]
    private(set) var witnesses: [NetworkLane]
    /// Whether the witnesses have seen what the makers see.
    private var isWitnessed = false

    init(_ networks: [SegmentationNetwork], witnesses: [SegmentationNetwork], hasCloserLooks: Bool) {
        let makers = networks.map(NetworkLane.init)
        self.makers = makers
        self.witnesses = witnesses.map(NetworkLane.init)
        all = makers + self.witnesses
        mostSqueezed = hasCloserLooks ? Self.squeezedBesideCloserLooks : Self.squeezed
    }

    /// What the networks that make the mask say.
    var masks: [ScalarMap] { makers.map(\.mask) }
    /// Whether a network keeps its masks steady itself.
    var hasMemory: Bool { all.contains(where: \.hasMemory) }

    /// Forgets who took whose place, and the pictures before; goes to a region of another shape, if that is one.
    func reset(aspect: Double) {
        forget()
        (makers, witnesses) = (Array(all.prefix(makers.count)), Array(all.dropFirst(makers.count)))
        choose(aspect: aspect)
    }

    /// Forgets the pictures before.
    func forget() { for lane in makers { lane.forget() } }

    /// Goes to a region of another shape. In a picture squeezed too much people look less like people: a witness of a better shape
    /// takes over then.
    func choose(aspect: Double) {
        guard makers.count == 1, makers[0].squeeze(aspect) > mostSqueezed else { return }
        let best = witnesses.indices.min { witnesses[$0].squeeze(aspect) < witnesses[$1].squeeze(aspect) }
        guard let best, witnesses[best].squeeze(aspect) < makers[0].squeeze(aspect) else { return }
        swap(&makers[0], &witnesses[best])
    }

    /// Has the makers, in pieces to be done side by side, see `picture`, that of `view`.
    func segment(_ picture: RGBMap, _ view: RegionView) -> [SideBySide.Piece] {
        isWitnessed = false
        return makers.map { lane in
            {
                Result { () throws(VisionError) in
                    try lane.segment(picture, of: view.frame, rectangle: view.rectangle)
                }
            }
        }
    }

    /// Has the witnesses see what the makers have seen.
    func askWitnesses(_ picture: RGBMap, _ view: RegionView) throws(VisionError) {
        guard !isWitnessed else { return }
        for witness in witnesses { try witness.segment(picture, of: view.frame, rectangle: view.rectangle) }
        isWitnessed = true
    }

    /// How far all networks agree about the people in the picture; nil where there is one alone.
    func agreement(_ picture: RGBMap, _ view: RegionView) throws(VisionError) -> Double? {
        try askWitnesses(picture, view)
        return (makers.dropFirst() + witnesses)
            .map { MaskOverlap(makers[0].mask, $0.mask).intersectionOverUnion }.min()
    }

    /// What all networks say, witnesses too.
    func allMasks(_ picture: RGBMap, _ view: RegionView) throws(VisionError) -> [ScalarMap] {
        try askWitnesses(picture, view)
        return makers.map(\.mask) + witnesses.map(\.mask)
    }

    /// Lets a witness that was asked take the place of the one that made a doubtful mask, if it sees people in the same place, its
    /// own mask is not doubtful, and the other's is a flood, or of a more squeezed picture; whether one does.
    func replaceMaker(
        aspect: Double, isDoubtful: (ScalarMap) -> Bool, isFlooded: (ScalarMap) -> Bool
    ) -> Bool {
        let doubtful = makers[0].mask
        let isFlood = isFlooded(doubtful)
        let sure = witnesses.firstIndex { witness in
            // A soft mask may show somebody whom a witness of a worse shape does not see at all.
            (isFlood || witness.squeeze(aspect) < makers[0].squeeze(aspect)) && Self.isPart(witness.mask, of: doubtful)
                && !isDoubtful(witness.mask)
        }
        guard let sure else { return false }
        swap(&makers[0], &witnesses[sure])
        return true
    }

    // A flood goes on beyond the people, who are a part of it.
    private static func isPart(_ mask: ScalarMap, of flood: ScalarMap) -> Bool {
        let overlap = MaskOverlap(flood, mask)
        return overlap.second > 0 && Double(overlap.both) >= inside * Double(overlap.second)
            && Double(overlap.second) >= share * Double(overlap.first)
    }
}

extension NetworkLane {
    /// How far the network squeezes a region of `aspect`.
    fileprivate func squeeze(_ aspect: Double) -> Double { description.input.distance(fromAspect: aspect) }
}
