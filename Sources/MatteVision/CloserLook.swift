import Imaging

/// Looks once more at a region's only person, from nearer by: at one close-up after the other, the nearest last; for one thread at
/// a time, but for the looks that it hands out.
final class CloserLook {
    /// How many times the pixels that a network sees a region must have for a nearer look to show more of it.
    private static let detail = 1.5
    /// The intersection over union with a mask of all of the view below which there is something to be weighed.
    private static let unanimity = 0.95

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
    /// What comes out, the memory of what did before, and what enlarges each, kept for the next time.
    private var masks: [ScalarMap] = []
    private var spare: [ScalarMap] = []
    private var enlargers: [MapEnlarger] = []
    /// From which agreement with nearer looks on a mask is enough.
    private let enough: Double

    /// Close-ups of such shares of a person's height, each with a network of its own, of which there is one at least; `isWeighed` tells
    /// whether several masks of the same are of use.
    init(_ shares: [Double], networks: [SegmentationNetwork], isWeighed: Bool) {
        enough = isWeighed ? Self.unanimity : CloseUp.agreement
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
    /// Nearer looks are not believed against a mask of all of the view. Where there is one alone, and they differ from it, the masks of
    /// `others` are asked for, and come out as well; where they contradict it, the first of those that shows as much, and that they
    /// agree with, takes its place.
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
        clear()
        for mask in coarse { append(mask, width: view.width, height: view.height) }
        let agreement = masks.count == 1 ? agreement(with: masks[0]) : 1
        if agreement < enough {
            for mask in try others() { append(mask, width: view.width, height: view.height) }
            if agreement < CloseUp.agreement { replaceFirst() }
        }
        let seeing = shots.filter { $0.closeUp.square != nil }
        let isKnown = seeing.count == 1 && masks.count == 1 && agreement >= enough
        for shot in seeing {
            let agreement = isKnown ? agreement : masks.map { shot.closeUp.agreement(shot.mask, $0) }.min()!
            shot.closeUp.look(agreement: agreement)
            shot.closeUp.put(shot.mask, part: part, into: &masks, with: shot.enlarger)
        }
        return masks
    }

    // How far the nearer looks show the same person as `mask`, which is the picture's; of them all, the one that does least.
    private func agreement(with mask: ScalarMap) -> Double {
        shots.filter { $0.closeUp.square != nil }.map { $0.closeUp.agreement($0.mask, mask) }.min() ?? 1
    }

    // A smaller one may agree since neither shows anybody, as of who leaves the frame.
    private func replaceFirst() {
        func area(_ index: Int) -> Int { masks[index].values.count { $0 > 0.5 } }
        let better = masks.indices.dropFirst().first {
            area($0) >= area(0) && agreement(with: masks[$0]) >= CloseUp.agreement
        }
        guard let better else { return }
        masks.swapAt(0, better)
        while masks.count > 1 { spare.append(masks.removeLast()) }
    }

    private func clear() {
        while let mask = masks.popLast() { spare.append(mask) }
    }

    private func append(_ coarse: ScalarMap, width: Int, height: Int) {
        var mask = spare.popLast() ?? ScalarMap(width: 1, height: 1)
        mask.resize(width: width, height: height)
        if enlargers.count == masks.count { enlargers.append(MapEnlarger()) }
        enlargers[masks.count].enlarge(coarse, into: &mask)
        masks.append(mask)
    }
}
