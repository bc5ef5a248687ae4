import Imaging

/// Looks once more at a region's only person, from nearer by: at one close-up after the other, the nearest last; for one thread at
/// a time, but for the looks that it hands out.
final class CloserLook {
    /// How many times the pixels that a network sees a region must have for a nearer look to show more of it.
    private static let detail = 1.5

    /// One close-up, and what was seen there.
    ///
    /// The shots of a region are looked at side by side; each is the matter of one thread alone, hence `@unchecked Sendable`.
    private final class Shot: @unchecked Sendable {
        var closeUp: CloseUp
        /// What was seen in `seen`.
        var mask = ScalarMap(width: 1, height: 1)
        /// The square of the frame's region that was looked at; nil where none was.
        var seen: Rectangle?
        let enlarger = MapEnlarger()
        private let network: SegmentationNetwork
        private var picture: RGBMap
        private let sampler = FrameSampler()

        init(share: Double, network: SegmentationNetwork) {
            closeUp = CloseUp(share: share)
            self.network = network
            let input = network.description.input
            picture = RGBMap(width: input.width, height: input.height)
        }

        func look(at square: Rectangle, in view: RegionView) throws(VisionError) {
            sampler.sample(view.frame, source: view.place(of: square), into: &picture)
            // Nearer looks have nothing to do with those before them.
            var state = RecurrentState(network.description)
            _ = try network.segment(picture, state: &state, into: &mask)
            seen = square
        }
    }

    private let shots: [Shot]
    /// Pixels that a network sees.
    private let pixels: Int
    /// What comes out, and what enlarges it, kept for the next time.
    private var masks: [ScalarMap] = []
    private var enlargers: [MapEnlarger] = []
    /// What may take the place of a mask, at the picture's size.
    private var candidate = ScalarMap(width: 1, height: 1)
    private let candidateEnlarger = MapEnlarger()

    /// Close-ups of such shares of a person's height, each with a network of its own, of which there is one at least.
    init(_ shares: [Double], networks: [SegmentationNetwork]) {
        shots = zip(shares, networks).map(Shot.init)
        let input = networks[0].description.input
        pixels = input.width * input.height
    }

    /// Forgets the person.
    func reset() {
        for shot in shots { shot.closeUp.reset() }
    }

    /// The looks at `view` that are most likely wanted, at what was looked at in the frame before; to be taken, side by side with
    /// others, before `masks`.
    func likelyLooks(at view: RegionView) -> [SideBySide.Piece] {
        for shot in shots { shot.seen = nil }
        guard showsMore(view) else { return [] }
        return shots.compactMap { shot in
            let square = shot.closeUp.square(inPictureOf: view.width, view.height)
            return square.map { look(by: shot, at: $0, of: view) }
        }
    }

    private func look(by shot: Shot, at square: Rectangle, of view: RegionView) -> SideBySide.Piece {
        { Result { () throws(VisionError) in try shot.look(at: square, in: view) } }
    }

    // Whether there is more of it to be seen from nearer by.
    private func showsMore(_ view: RegionView) -> Bool { view.rectangle.area >= Self.detail * Double(pixels) }

    /// `coarse`, masks of `view`, together with `part` of what is seen of the person in `mask` from nearer by, at the size of the
    /// view's picture; none where there is nobody to be seen from nearer by, or as well without.
    ///
    /// Nearer looks are not believed against a mask of all of the view. Where there is one alone, and they contradict it, the masks of
    /// `others` are asked for: the first that shows as much, and that they agree with, takes its place.
    func masks(
        _ coarse: [ScalarMap], mask: ScalarMap, part: Float, of view: RegionView,
        others: () throws(VisionError) -> [ScalarMap]
    ) throws(VisionError) -> [ScalarMap] {
        let person =
            part > 0 && showsMore(view) ? CloseUp.person(in: mask, width: view.width, height: view.height) : nil
        for shot in shots {
            shot.closeUp.place(
                person, in: mask, width: view.width, height: view.height, pixelAspect: view.pixelAspect)
        }
        guard shots.contains(where: { $0.closeUp.square != nil }) else { return [] }
        try SideBySide.perform(
            shots.compactMap { shot in
                guard let square = shot.closeUp.square, square != shot.seen else { return nil }
                return look(by: shot, at: square, of: view)
            })
        enlarge(coarse, width: view.width, height: view.height)
        if masks.count == 1, !agrees(with: masks[0]) { replaceMask(by: try others()) }
        for shot in shots where shot.closeUp.square != nil {
            let agreement = masks.map { shot.closeUp.agreement(shot.mask, $0) }.min()!
            shot.closeUp.look(agreement: agreement)
            shot.closeUp.put(shot.mask, part: part, into: &masks, with: shot.enlarger)
        }
        return masks
    }

    // Whether all nearer looks show the same person as `mask`, which is the picture's.
    private func agrees(with mask: ScalarMap) -> Bool {
        shots.allSatisfy { shot in
            shot.closeUp.square == nil || shot.closeUp.agreement(shot.mask, mask) >= CloseUp.agreement
        }
    }

    // A smaller one may agree since neither shows anybody, as of who leaves the frame.
    private func replaceMask(by others: [ScalarMap]) {
        let area = masks[0].values.count { $0 > 0.5 }
        candidate.resize(width: masks[0].width, height: masks[0].height)
        for other in others {
            candidateEnlarger.enlarge(other, into: &candidate)
            guard candidate.values.count(where: { $0 > 0.5 }) >= area, agrees(with: candidate) else { continue }
            return swap(&masks[0], &candidate)
        }
    }

    private func enlarge(_ coarse: [ScalarMap], width: Int, height: Int) {
        while masks.count < coarse.count {
            masks.append(ScalarMap(width: 1, height: 1))
            enlargers.append(MapEnlarger())
        }
        for index in coarse.indices {
            masks[index].resize(width: width, height: height)
            enlargers[index].enlarge(coarse[index], into: &masks[index])
        }
    }
}
