import Imaging

/// The segmentation networks that see one region: those that make its mask, and witnesses that are asked where it is not sure who
/// is a person; for one thread at a time, but for the pieces of work that it hands out.
///
/// Every so often an arbiter, which knows people better and takes longer, sees what they see. Where it sees somebody else it makes
/// the mask, alone, until they see the same again.
final class RegionLanes {
    /// How much of a witness's mask must lie in the doubtful one, and how much of that it must be at least.
    private static let (inside, share) = (0.8, 0.2)
    /// By how much a network may squeeze a region, alone and beside closer looks, which make up for it; a witness that does so less
    /// makes the mask instead.
    private static let (squeezed, squeezedBesideCloserLooks) = (1.35, 2.0)
    /// How much of a mask and the arbiter's must be the same, as intersection over union, for the arbiter not to make the mask, and
    /// where it does.
    private static let (same, sameAgain) = (0.7, 0.8)

    /// Those that make the masks and the witnesses, as the level has them.
    private let all: [NetworkLane]
    private let mostSqueezed: Double
    /// Those that make the mask.
    private(set) var makers: [NetworkLane]
    private(set) var witnesses: [NetworkLane]
    /// Whether the witnesses have seen what the makers see.
    private var isWitnessed = false
    private let arbiter: NetworkLane?
    /// Every how many masks the arbiter is asked.
    private let interval: Int
    /// How many masks are still made without it.
    private var rest = 0
    /// Whether the arbiter and the makers make this mask.
    private var isArbiterAsked = false
    /// Whether the arbiter makes the mask.
    private(set) var isArbitrated = false

    /// `arbiter` is asked once for every `interval` masks.
    init(
        _ networks: [SegmentationNetwork], witnesses: [SegmentationNetwork], arbiter: SegmentationNetwork? = nil,
        interval: Int = 1, hasCloserLooks: Bool
    ) {
        let makers = networks.map(NetworkLane.init)
        self.makers = makers
        self.witnesses = witnesses.map(NetworkLane.init)
        all = makers + self.witnesses
        self.arbiter = arbiter.map(NetworkLane.init)
        self.interval = interval
        mostSqueezed = hasCloserLooks ? Self.squeezedBesideCloserLooks : Self.squeezed
    }

    /// What the networks that make the mask say.
    var masks: [ScalarMap] { arbitration.map { [$0] } ?? makers.map(\.mask) }
    // What the arbiter says, where that counts.
    private var arbitration: ScalarMap? { isArbitrated ? arbiter?.mask : nil }
    /// Whether a network keeps its masks steady itself.
    var hasMemory: Bool { all.contains(where: \.hasMemory) }

    /// Forgets who took whose place, and the pictures before; goes to a region of another shape, if that is one.
    func reset(aspect: Double) {
        forget()
        (rest, isArbitrated) = (0, false)
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

    /// Has the makers, the arbiter if that may be asked, or both, see `picture`, that of `view`, in pieces to be done side by side;
    /// `arbitrate` follows.
    func segment(_ picture: RGBMap, _ view: RegionView, mayAskArbiter: Bool = true) -> [SideBySide.Piece] {
        isWitnessed = false
        if !mayAskArbiter { (rest, isArbitrated) = (0, false) }
        isArbiterAsked = mayAskArbiter && arbiter != nil && rest == 0
        rest = isArbiterAsked ? interval - 1 : max(0, rest - 1)
        let seeing =
            (isArbitrated || isArbiterAsked ? [arbiter].compactMap { $0 } : [])
            + (!isArbitrated || isArbiterAsked ? makers : [])
        return seeing.map { lane in
            {
                Result { () throws(VisionError) in
                    try lane.segment(picture, of: view.frame, rectangle: view.rectangle)
                }
            }
        }
    }

    /// Decides who makes the mask, if both saw the picture.
    func arbitrate() {
        guard isArbiterAsked, let arbiter else { return }
        let agreement = makers.map { MaskOverlap(arbiter.mask, $0.mask).intersectionOverUnion }.min() ?? 1
        isArbitrated = agreement < (isArbitrated ? Self.sameAgain : Self.same)
    }

    /// Has the witnesses see what the makers have seen.
    func askWitnesses(_ picture: RGBMap, _ view: RegionView) throws(VisionError) {
        guard !isWitnessed, !isArbitrated else { return }
        for witness in witnesses { try witness.segment(picture, of: view.frame, rectangle: view.rectangle) }
        isWitnessed = true
    }

    /// How far all networks agree about the people in the picture; nil where there is one alone, or the arbiter has decided.
    func agreement(_ picture: RGBMap, _ view: RegionView) throws(VisionError) -> Double? {
        guard !isArbitrated else { return nil }
        try askWitnesses(picture, view)
        return (makers.dropFirst() + witnesses)
            .map { MaskOverlap(makers[0].mask, $0.mask).intersectionOverUnion }.min()
    }

    /// What all networks say, witnesses too; where the arbiter has decided, what that says instead of each.
    func allMasks(_ picture: RGBMap, _ view: RegionView) throws(VisionError) -> [ScalarMap] {
        if let arbitration { return all.map { _ in arbitration } }
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
