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
    /// What comes out.
    private var mask = ScalarMap(width: 1, height: 1)
    private let enlarger = MapEnlarger()

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
    /// others, before `mask`.
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

    /// `coarse`, the mask of `view`, together with what is seen of the person in it from nearer by, at the size of the view's picture;
    /// nil where there is nobody to be seen from nearer by, or as well without. A nearer look is not believed against the mask of all of the
    /// view.
    func mask(_ coarse: ScalarMap, of view: RegionView) throws(VisionError) -> ScalarMap? {
        let person = showsMore(view) ? CloseUp.person(in: coarse, width: view.width, height: view.height) : nil
        for shot in shots {
            shot.closeUp.place(
                person, in: coarse, width: view.width, height: view.height, pixelAspect: view.pixelAspect)
        }
        let seeing = shots.filter { $0.closeUp.square != nil }
        guard !seeing.isEmpty else { return nil }
        try SideBySide.perform(
            seeing.compactMap { shot in
                guard let square = shot.closeUp.square, square != shot.seen else { return nil }
                return look(by: shot, at: square, of: view)
            })
        mask.resize(width: view.width, height: view.height)
        enlarger.enlarge(coarse, into: &mask)
        for shot in seeing {
            shot.closeUp.look(agreement: shot.closeUp.agreement(shot.mask, mask))
            shot.closeUp.put(shot.mask, into: &mask, with: shot.enlarger)
        }
        return mask
    }
}
