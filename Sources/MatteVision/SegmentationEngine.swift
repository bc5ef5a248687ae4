import Glibc
import Imaging

/// What one quality level makes of the frames of a scene, of one size and with people who stand upright; for one thread at a time.
final class SegmentationEngine {
    /// How many who come in at once are looked at.
    private static let arrivals = 2
    /// How often regions are made larger in one frame at most.
    private static let extensions = 4
    /// How much less often a detector looks for people than the networks do: it takes as long as several of theirs.
    private static let patience = 12

    private let width: Int
    private let height: Int
    private let pixelAspect: Double
    private let whole: RegionPass
    private var passes: [RegionPass] = []
    private let strangerLook: StrangerLook
    private var regions: PersonRegions?
    private let search: PersonSearch?
    private var windowMemory = WindowMemory()
    private var arrivals = ArrivalDetector()
    /// The boxes of those who have just come in, of whom no detector is sure yet.
    private var arriving: [Rectangle] = []
    private let makePass: () -> RegionPass
    private var renderer = MaskRenderer()
    /// What finds people whom the networks don't, and knows which way up they are; nil where the networks have to see frames as they
    /// are.
    let personDetector: PersonDetector?
    /// Every how many frames that is to look for people where some are known.
    let detectionInterval: Int
    /// The whole frame, and the squares as high as it is.
    var wideWindows: ArraySlice<Rectangle> { search?.wideWindows ?? [] }

    /// For frames of `width` by `height` upright pixels, each `pixelAspect` times as wide as high, with the networks of `level`;
    /// those that `loaded` lacks are loaded.
    init(
        level name: String, networks loaded: LoadedNetworks, width: Int, height: Int, pixelAspect: Double
    ) throws(VisionError) {
        let plan = try LevelPlan(level: name, networks: loaded)
        let networks = try plan.load(loaded)
        let level = plan.level
        self.width = width
        self.height = height
        self.pixelAspect = pixelAspect
        makePass = { RegionPass(level, networks: networks, pixelAspect: pixelAspect) }
        whole = makePass()
        personDetector = level.following == nil ? nil : networks.detector
        detectionInterval = Self.patience * (level.following?.interval ?? 1)
        var networksOfStrangers = networks
        networksOfStrangers.closeUps = []
        strangerLook = StrangerLook(RegionPass(level, networks: networksOfStrangers, pixelAspect: pixelAspect))
        whole.move(to: Rectangle(width: width, height: height))
        search = level.following.map { _ in
            PersonSearch(
                networks.segmentation, searchesParts: networks.detector != nil, width: width, height: height,
                pixelAspect: pixelAspect)
        }
        regions = level.following.map {
            PersonRegions(
                $0, width: width, height: height, pixelAspect: pixelAspect,
                isTurnable: networks.segmentation.isTurnable)
        }
    }

    func serves(width: Int, height: Int, pixelAspect: Double) -> Bool {
        (width, height, pixelAspect) == (self.width, self.height, self.pixelAspect)
    }

    /// Forgets the scene.
    func reset() {
        regions?.reset()
        strangerLook.reset()
        search?.reset()
        windowMemory.reset()
        arrivals.reset()
        whole.reset()
        for pass in passes { pass.reset() }
    }

    /// Forgets the video, of which a scene may begin as the last one ended: the bars above and below its picture.
    func forgetVideo() {
        // Masks of before may still be in the making.
        renderer = MaskRenderer()
        reset()
    }

    /// What the networks make of `frame`, whose upright size is the engine's: its mask, yet to be refined. `thumbnail` is its brightness
    /// as it is stored, and `people` are those whom a detector found in it, if it was asked.
    func mask(
        of frame: VideoFrame, thumbnail: ScalarMap, sighted people: [Detection], format: PixelFormat
    ) throws(VisionError) -> UnrefinedMask {
        try search(frame, thumbnail, sighted: people)
        try admitArrivals(frame, thumbnail)
        let passes = try segment(frame)
        judgeWhole()
        try verify(passes, frame)
        follow(passes)
        return UnrefinedMask(
            frame: frame, regions: passes.map { $0.unrefined(frame) }, renderer: renderer, format: format,
            foreground: passes[0].foreground)
    }

    // The passes that make this frame's mask, which they have made. Where a region turns out to be too small larger ones are looked at
    // in the same frame.
    private func segment(_ frame: VideoFrame) throws(VisionError) -> [RegionPass] {
        var passes = activePasses()
        for pass in passes { try pass.segment(frame, asked: isWholeAsked) }
        for _ in 0..<Self.extensions {
            guard passes[0] !== whole, regions!.extend(passes.map(\.map)) else { break }
            let seen = passes.map(\.rectangle)
            passes = activePasses()
            for pass in passes where pass === whole || !seen.contains(pass.rectangle) { try pass.segment(frame) }
        }
        return passes
    }

    // Whether networks are to tell who is in the whole frame.
    private var isWholeAsked: Bool {
        guard let known = regions, known.rectangles.isEmpty else { return false }
        return known.isSearchDue || known.isWholeDoubtful
    }

    // The passes that make this frame's mask, each in its region.
    private func activePasses() -> [RegionPass] {
        guard let rectangles = regions?.rectangles, !rectangles.isEmpty else {
            for pass in passes { pass.reset() }
            return [whole]
        }
        whole.reset()
        whole.presence = .known
        arrangePasses(for: rectangles)
        let active = Array(passes.prefix(rectangles.count))
        let area = rectangles.reduce(0) { $0 + $1.area }
        for (pass, rectangle) in zip(active, rectangles) {
            pass.move(to: rectangle, share: Self.share(rectangle.area / area, before: pass.share))
        }
        return active
    }

    // What a pass has learned of somebody goes on with them; those of whoever is new, or gone, begin anew.
    private func arrangePasses(for rectangles: [Rectangle]) {
        var free = passes
        let matched: [RegionPass?] = rectangles.map { rectangle in
            func overlap(_ index: Int) -> Double { free[index].rectangle.intersectionOverUnion(rectangle) }
            let known = free.indices.filter { free[$0].presence.isPresent && overlap($0) > 0 }
            return known.max { overlap($0) < overlap($1) }.map { free.remove(at: $0) }
        }
        let active = zip(rectangles, matched).map { $1 ?? newPass(for: $0, from: &free) }
        for pass in free { pass.reset() }
        passes = active + free
    }

    private func newPass(for rectangle: Rectangle, from free: inout [RegionPass]) -> RegionPass {
        let pass = free.popLast() ?? makePass()
        pass.reset()
        // Who else is followed was seen by a closer look.
        pass.presence = arriving.contains { rectangle.union($0) == rectangle } ? .arriving : .known
        return pass
    }

    // One of a few, and the one before for as long as it nearly fits, so that nobody's working size changes whenever somebody else moves;
    // those far away get as much as shows them.
    private static func share(_ share: Double, before: Double?) -> Double {
        let steps = 2 * log2(max(1 / 8, share))
        if let before, abs(steps - 2 * log2(before)) < 0.75 { return before }
        return exp2(steps.rounded() / 2)
    }

    private func search(
        _ frame: VideoFrame, _ thumbnail: ScalarMap, sighted people: [Detection]
    ) throws(VisionError) {
        strangerLook.advance()
        let suspects = regions?.takeSuspects() ?? []
        if !suspects.isEmpty { try admit(suspects, sighted: people, frame) }
        guard let search, let known = regions else { return }
        let windows = windowsToSearch(search, known, frame, thumbnail)
        let people = people.sorted { $0.score > $1.score }
        for person in people where known.isWhole(person) { try admit(person, of: people, frame) }
        for index in windows {
            // Who fills the frame leaves nothing to search; who is far away beside somebody else is the detector's matter in a new scene,
            // and has time.
            let isWide = search.wideWindows.indices.contains(index)
            guard !regions!.isFilled, isWide || !known.isFresh || regions!.known.isEmpty else { continue }
            windowMemory.look(index, thumbnail)
            let strangers = regions!.strangers(in: try search.mask(index, of: frame), of: search.windows[index])
            try admit(strangers, sighted: people, frame)
        }
        // Whom the networks don't know in a window they may know from nearer by.
        for person in people { try admit(person, of: people, frame) }
        guard known.isFresh else { return }
        let farAway = try peopleFarAway(frame)
        for person in farAway { try admit(person, of: farAway, frame) }
    }

    // All windows of a new scene; then those that have changed or were not looked at for long, one after the other, and in between, so that
    // no frame takes much longer than others, the whole frame where it is not looked at anyway.
    private func windowsToSearch(
        _ search: PersonSearch, _ known: PersonRegions, _ frame: VideoFrame, _ thumbnail: ScalarMap
    ) -> [Int] {
        guard !known.isFresh else {
            for index in search.windows.indices { windowMemory.see(index, thumbnail) }
            return Array(search.windows.indices)
        }
        func isDue(_ index: Int) -> Bool { windowMemory.isDue(index, period: search.period(of: index)) }
        func hasChanged(_ index: Int) -> Bool {
            windowMemory.hasChanged(index, search.windows[index], in: frame, thumbnail, besides: known.rectangles)
        }
        var windows: [Int] = []
        if known.isSearchDue {
            windowMemory.advance()
            if !known.rectangles.isEmpty, isDue(0) || hasChanged(0) { windows = [0] }
        }
        guard known.isPartDue, !known.isFilled else { return windows }
        // What changes all the time doesn't take all of the turns.
        let part = windowMemory.isChangeFirst ? search.turn(where: hasChanged) : search.turn(where: isDue)
        return windows + [part ?? search.turn { isDue($0) || hasChanged($0) }].compactMap(\.self)
    }

    // Takes in those who come in at the frame's edge, until a detector can be sure of them. A network knows half of somebody by what is
    // around them, so that a wide window tells.
    private func admitArrivals(_ frame: VideoFrame, _ thumbnail: ScalarMap) throws(VisionError) {
        arriving = []
        guard let search, let known = regions, personDetector != nil else { return }
        arrivals.see(thumbnail)
        guard !known.isFilled else { return }
        let changes = arrivals.arrivals(in: frame, besides: known.rectangles).prefix(Self.arrivals)
        for arrival in changes {
            func fit(_ index: Int) -> Double { search.windows[index].intersectionOverUnion(arrival) }
            let index = search.wideWindows.indices.max { fit($0) < fit($1) }!
            let window = search.windows[index]
            let mask = try search.mask(index, of: frame)
            let people = regions!.strangers(in: mask, of: window).filter { stranger in
                stranger.box.intersection(arrival).area > 0
                    && arrivals.agrees(
                        with: mask, of: window, in: stranger.box.union(arrival), frame: frame, besides: known.rectangles
                    )
            }
            if people.isEmpty { arrivals.lookedInVain(at: arrival) }
            arriving += people.map(\.box)
            admit(people)
        }
    }

    // Whom the detector finds in the small windows where nobody is known; in the wide ones it is asked before. Too slow for more
    // than the first frame of a scene.
    private func peopleFarAway(_ frame: VideoFrame) throws(VisionError) -> [Detection] {
        guard let search, let personDetector else { return [] }
        var found: [Detection] = []
        for window in search.smallWindows where !regions!.isFilled && !regions!.isKnown(window) {
            found += try personDetector.people(in: window, of: frame)
        }
        return found.bestOfOverlapping()
    }

    // Takes in whom a detector found, one of those `people`; where they are a closer look tells better.
    private func admit(_ person: Detection, of people: [Detection], _ frame: VideoFrame) throws(VisionError) {
        guard let stranger = regions!.stranger(person),
            try strangerLook.showsPerson(
                stranger, in: frame, besides: regions!.known, sighted: people, regions: regions!)
        else { return }
        admit([regions!.fitted(stranger, to: strangerLook.map)])
    }

    // Takes in those in whose own regions there are people.
    private func admit(
        _ strangers: [PersonRegions.Stranger], sighted: [Detection], _ frame: VideoFrame
    ) throws(VisionError) {
        var people: [PersonRegions.Stranger] = []
        for stranger in strangers {
            let others = regions!.known + people.map(\.box)
            let neighbours = strangers.map(\.box).filter { $0 != stranger.box }
            let isPerson = try strangerLook.showsPerson(
                stranger, in: frame, besides: others, near: neighbours, sighted: sighted, regions: regions!)
            guard isPerson else { continue }
            people.append(regions!.narrowed(stranger, to: strangerLook.map))
        }
        admit(people)
    }

    private func admit(_ people: [PersonRegions.Stranger]) {
        regions!.admit(people)
        if !people.isEmpty { whole.presence = .known }
    }

    // What the network takes for people may be a busy background, and its mask then looks unlike people's. Of somebody known that is
    // no matter.
    private func judgeWhole() {
        // What was taken along was looked at when the network made it, and is no second look.
        guard let known = regions, known.rectangles.isEmpty, !whole.isPropagated else { return }
        // What will be emptied needs no second opinion.
        if whole.presence.isAbsent, !whole.presence.mayLook, !known.isSearchDue { return }
        let evidence = whole.evidence
        if known.isSearchDue || known.isWholeDoubtful || evidence.isDoubtful { regions!.look(evidence) }
    }

    // A mask of the whole frame without people says that nobody is known, too.
    private func verify(_ passes: [RegionPass], _ frame: VideoFrame) throws(VisionError) {
        for pass in passes {
            let wasArriving = pass.presence.isArriving
            try pass.verify(frame)
            if wasArriving, pass.presence.isAbsent { arrivals.deny(pass.rectangle) }
        }
        if passes[0] === whole, whole.presence.isAbsent { regions?.leave() }
    }

    private func follow(_ passes: [RegionPass]) {
        regions?.follow(passes.map(\.map))
        // Whoever shows where all those who were followed are gone is somebody else.
        if passes[0] !== whole, let known = regions, known.rectangles.isEmpty, !known.isFilled {
            whole.reset()
        }
    }
}
