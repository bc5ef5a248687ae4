import Imaging

/// The regions of a frame that hold its people, steady while they stay inside them.
///
/// Where people fill the frame, or nobody is known, there is no region, and the whole frame is looked at.
struct PersonRegions {
    /// How far a region may differ from the best one before it moves, as intersection over union.
    private static let tolerance = 0.8
    /// The share of the frame beyond which regions see nothing that a look at the whole would not.
    private static let largest = 0.8
    /// The share below which they do again; lower, so that people who move a little don't change it all the time.
    private static let worthwhile = 0.68
    /// The mean value that a mask has where a search may take it for somebody; busy backgrounds get less.
    private static let confidence: Float = 0.8
    /// The share of a box that known people or regions cover where it is one of theirs.
    private static let covered = 0.6
    /// The share of a stranger's box that they fill at most where it holds more than them.
    private static let own = 0.8
    /// The share of the smaller region beyond which two that overlap become one.
    private static let overlap = 0.3
    /// How many looks in a row must speak against somebody who fills the frame.
    private static let leastDoubts = 3
    /// After how many frames all of the frame may be searched again.
    private static let rest = 30
    /// The share up to which people who were in one region get their own again.
    private static let slightOverlap = 0.1
    /// The share of their common region that those must spare.
    private static let spared = 0.4
    /// The share of a body's height that is in the frame where it is seen from head to feet.
    private static let whole = 0.9
    /// For how many frames somebody who is lost beside others is looked for in the same place.
    private static let memory = 60

    private let geometry: RegionGeometry
    private let following: LevelDescription.Following
    private(set) var rectangles: [Rectangle] = []
    /// Those of the regions that were there before.
    private var patience: [Rectangle: RegionPatience] = [:]
    /// The box of the largest part of the people in each region of the last frame.
    private var bodies: [Rectangle] = []
    /// The boxes of those who were admitted since.
    private var newcomers: [Rectangle] = []
    /// Where those are who are known while there is no region.
    private var people: [Rectangle] = []
    /// Those in the whole frame's mask who would get regions, until a closer look tells whether they are people.
    private var suspects: [Stranger] = []
    /// The regions of those who were lost beside others, and after how many frames they are forgotten.
    private var lost: [(region: Rectangle, rest: Int)] = []
    /// How many looks at the whole frame in a row showed something else than people.
    private var doubts = 0
    /// Whether the last look at the whole frame, without regions, showed something else than people.
    private(set) var isWholeDoubtful = false
    private var age = 0
    /// Frames since all of the frame was searched.
    private var sinceFresh = 0

    /// For frames of `width` by `height` upright pixels, each `pixelAspect` times as wide as high; of a network that sees what is
    /// upright at another shape if it `isTurnable`.
    init(
        _ following: LevelDescription.Following, width: Int, height: Int, pixelAspect: Double, isTurnable: Bool = false
    ) {
        let frame = Rectangle(width: width, height: height)
        self.init(following, RegionGeometry(frame: frame, pixelAspect: pixelAspect, isTurnable: isTurnable))
    }

    private init(_ following: LevelDescription.Following, _ geometry: RegionGeometry) {
        (self.following, self.geometry) = (following, geometry)
    }

    private var frame: Rectangle { geometry.frame }
    private var pixelAspect: Double { geometry.pixelAspect }

    /// The boxes of those who have regions.
    var known: [Rectangle] {
        // Bodies may be those of a time before the frame was looked at as a whole.
        rectangles.isEmpty ? [] : bodies.filter { isCovered($0, by: rectangles) } + newcomers
    }

    /// Where nobody is a stranger.
    private var knownPlaces: [Rectangle] { rectangles.isEmpty ? people : rectangles }

    /// Whether strangers are to be looked for in all of this frame.
    var isSearchDue: Bool { age == 0 }
    /// Whether strangers are to be looked for in a part of this frame: halfway from one search to the next.
    var isPartDue: Bool { age == following.interval / 2 }
    /// Whether nothing is known of the scene.
    private(set) var isFresh = true
    /// Whether people are known who fill so much of the frame that it is looked at as a whole.
    var isFilled: Bool { rectangles.isEmpty && !people.isEmpty }

    mutating func reset() { self = PersonRegions(following, geometry) }

    /// Somebody who is not known yet, or a thing that looks like it.
    struct Stranger {
        /// Around what was seen of them.
        let box: Rectangle
        /// Where a closer look tells.
        let region: Rectangle
    }

    /// Those in `map`, the mask of a `window` of the frame, who are not known yet.
    func strangers(in map: ScalarMap, of window: Rectangle) -> [Stranger] {
        let known = knownPlaces
        func boxes(_ map: ScalarMap) -> [Rectangle] {
            PersonBoxes.find(in: map, of: window, confidence: Self.confidence).filter {
                !geometry.isCutOff($0, by: window)
            }
        }
        let seen = boxes(map)
        let covered = seen.filter { isCovered($0, by: known) }
        var strangers = seen.filter { !isCovered($0, by: known) }
        // Who stands beside or behind somebody known is one with them in the mask; what is low is more likely an arm of theirs.
        if covered.contains(where: { box in !known.contains { $0.union(box) == $0 } }) {
            strangers += boxes(map.emptied(in: known, of: window)).filter { part in
                covered.contains { $0.union(part) == $0 && part.height >= $0.height / 2 }
            }
        }
        return strangers.map(stranger)
    }

    /// The one whom a detector found as `person`; nil if that is somebody known.
    func stranger(_ person: Detection) -> Stranger? {
        let known = knownPlaces
        let body = person.body(pixelAspect: pixelAspect).intersection(frame)
        let isKnown = known.contains { $0.contains(x: person.box.midX, y: person.box.midY) }
        return isKnown || isCovered(body, by: known) || body.area == 0 ? nil : stranger(body)
    }

    /// Whether those who are known leave hardly any of `window` to others.
    func isKnown(_ window: Rectangle) -> Bool { isCovered(window, by: knownPlaces) }

    /// Whether `person` is seen from head to feet: where the whole of them is, a detector then tells better than a mask of the whole
    /// frame, in which parts of them may be missing.
    func isWhole(_ person: Detection) -> Bool {
        let body = person.body(pixelAspect: pixelAspect)
        return body.intersection(frame).height >= Self.whole * body.height
    }

    /// The same stranger, around what `map`, the mask of their region, shows of people.
    func fitted(_ stranger: Stranger, to map: ScalarMap) -> Stranger {
        let boxes = PersonBoxes.find(in: map, of: stranger.region)
        guard let first = boxes.first else { return stranger }
        return self.stranger(boxes.reduce(first) { $0.union($1) })
    }

    /// The same where that is much less: what a mask of more than the region took for parts of them was not.
    func narrowed(_ stranger: Stranger, to map: ScalarMap) -> Stranger {
        let fitted = fitted(stranger, to: map)
        return fitted.box.intersection(stranger.box).area < Self.own * stranger.box.area ? fitted : stranger
    }

    /// Those whom looks at the whole frame showed since the last call, and where a search is due those who were lost beside
    /// others: windows may take long to come to them, and show them less well.
    mutating func takeSuspects() -> [Stranger] {
        defer { suspects = [] }
        guard isSearchDue else { return suspects }
        lost = lost.filter { !isCovered($0.region, by: knownPlaces) }
        return suspects + lost.map { Stranger(box: $0.region, region: $0.region) }
    }

    /// Whether a look at `region`, which may be the whole frame, shows people; `certainty` is nil where no detector was asked. What it
    /// shows in `neighbours`, where others may be, does not speak against it.
    func isPerson(
        _ evidence: PersonEvidence, certainty: PersonCertainty? = nil, in region: Rectangle,
        besides neighbours: [Rectangle] = []
    ) -> Bool {
        evidence.isPerson(in: surroundings(of: region, neighbours), certainty: certainty)
    }

    /// Takes in those who turned out to be people, of all whom a search found.
    mutating func admit(_ strangers: [Stranger]) {
        if isFresh { sinceFresh = 0 }
        isFresh = false
        newcomers += strangers.map(\.box)
        guard !strangers.isEmpty else { return }
        (doubts, isWholeDoubtful) = (0, false)
        if rectangles.isEmpty {
            people += strangers.map(\.box)
            rectangles = regions(people.map(geometry.region), limit: Self.worthwhile)
        } else {
            people = rectangles + strangers.map(\.region)
            rectangles = regions(people, limit: Self.largest)
        }
        if !rectangles.isEmpty { people = [] }
    }

    private func isCovered(_ box: Rectangle, by known: [Rectangle]) -> Bool {
        known.contains { $0.intersection(box).area >= Self.covered * box.area }
    }

    private func stranger(_ box: Rectangle) -> Stranger { Stranger(box: box, region: geometry.region(around: box)) }

    private func surroundings(of region: Rectangle, _ neighbours: [Rectangle] = []) -> PersonEvidence.Surroundings {
        .init(region: region, frame: frame, others: rectangles.filter { $0 != region } + neighbours)
    }

    /// Takes in what a look at the whole frame showed, while there is no region.
    mutating func look(_ evidence: PersonEvidence) {
        let boxes = PersonBoxes.find(in: evidence.map, of: frame)
        doubts = boxes.isEmpty || isPerson(evidence, in: frame) ? 0 : doubts + 1
        // Who comes close may be blurred for a moment, or more than the network knows.
        isWholeDoubtful = doubts > 0 && !(isFilled && doubts < Self.leastDoubts)
        if isWholeDoubtful {
            people = []
            if isSearchDue { suspect(boxes) }
        }
        guard doubts == 0 else { return }
        let isWorthwhile = suspect(boxes)
        people = isWorthwhile ? [] : boxes
    }

    /// Takes in that there is nobody in the whole frame's mask.
    mutating func leave() { people = [] }

    // Whether they would get regions.
    @discardableResult
    private mutating func suspect(_ boxes: [Rectangle]) -> Bool {
        let isWorthwhile = !regions(boxes.map(geometry.region), limit: Self.worthwhile).isEmpty
        suspects = isWorthwhile ? boxes.map(stranger) : []
        return isWorthwhile
    }

    /// Makes room in this frame for those whom the masks of its regions, in the order of `rectangles`, show cut off by a region's edge: who
    /// comes in is known by a head before a body is seen. A region that shrank too far for this frame is what it was before. Whether regions
    /// have changed.
    mutating func extend(_ maps: [ScalarMap]) -> Bool {
        let extended = zip(rectangles, boxes(in: maps)).map { rectangle, boxes in
            guard let body = boxes.first else { return rectangle }
            var patience = patience[rectangle] ?? RegionPatience()
            let extended: Rectangle
            if let former = patience.former, !geometry.hasRoom(for: boxes.reduce(body) { $0.union($1) }, rectangle) {
                extended = former
            } else {
                extended = geometry.extended(rectangle, for: body, besides: rectangles.filter { $0 != rectangle })
            }
            guard extended != rectangle else { return rectangle }
            patience.grow()
            self.patience[extended] = patience
            return extended
        }
        guard extended != rectangles else { return false }
        let joined = regions(extended, limit: Self.largest)
        if joined.isEmpty { people = extended }
        rectangles = joined
        return true
    }

    /// Follows the people into the next frame by the masks of this one's regions, in the order of `rectangles`.
    mutating func follow(_ maps: [ScalarMap]) {
        age = (age + 1) % max(1, following.interval)
        sinceFresh += 1
        newcomers = []
        lost = lost.filter { $0.rest > 1 }.map { ($0.region, $0.rest - 1) }
        guard !rectangles.isEmpty else { return }
        var seen: [Rectangle] = []
        let followed = zip(rectangles, boxes(in: maps)).flatMap { rectangle, boxes -> [Rectangle] in
            guard let first = boxes.first else {
                lost.append((rectangle, Self.memory))
                return []
            }
            let box = boxes.reduce(first) { $0.union($1) }
            seen.append(first)
            if let parted = parted(boxes, in: rectangle) { return parted }
            let next = ahead(of: box, body: first)
            let best = geometry.region(around: next)
            let (isStill, hasRoom) = (
                rectangle.intersectionOverUnion(best) >= Self.tolerance, geometry.hasRoom(for: next, rectangle)
            )
            if stays(rectangle, isStill: isStill, hasRoom: hasRoom) { return [rectangle] }
            let region = geometry.shrunk(rectangle, to: best)
            patience[region] = patience[rectangle]
            if hasRoom { patience[region]!.shrink(from: rectangle) }
            return [region]
        }
        if followed.isEmpty {
            // All of the frame is searched for them, but not again and again.
            let frames = sinceFresh
            reset()
            (sinceFresh, isFresh) = (frames, frames >= Self.rest)
            return
        }
        bodies = seen
        rectangles = regions(followed, limit: Self.largest)
        patience = patience.filter { rectangles.contains($0.key) }
        if rectangles.isEmpty { people = followed }
    }

    // The boxes of the people in each of the regions, by their masks. What a small region shows of somebody much larger is left to the
    // region of that one: with room for both, it would be too large for those whom it is for.
    private func boxes(in maps: [ScalarMap]) -> [[Rectangle]] {
        let all = zip(rectangles, maps).map { PersonBoxes.find(in: $1, of: $0) }
        return rectangles.indices.map { index in
            let (region, boxes) = (rectangles[index], all[index])
            let large = rectangles.indices.filter { geometry.showsTooSmall(region, rectangles[$0]) }
                .compactMap { all[$0].first }
            func goesOn(_ box: Rectangle) -> Bool {
                large.contains { geometry.goesOn(box, over: region, into: $0) }
            }
            guard let first = boxes.first, boxes.contains(where: goesOn) else { return boxes }
            guard goesOn(first) else { return boxes.filter { !goesOn($0) } }
            let own = PersonBoxes.find(in: maps[index].emptied(in: large, of: region), of: region)
            return own.isEmpty ? boxes : own
        }
    }

    // Whether a region is left as it is that has room for its people or not, and is not much larger than they need, if it is still right.
    private mutating func stays(_ region: Rectangle, isStill: Bool, hasRoom: Bool) -> Bool {
        var patience = patience[region] ?? RegionPatience()
        defer { self.patience[region] = patience }
        guard hasRoom else {
            patience.grow()
            return false
        }
        guard !isStill else {
            patience.stay()
            return true
        }
        return !patience.mayShrink()
    }

    // Where the people in `box` may be in the next frame: there, and as far on as `body`, the largest part of them, came since the
    // last one.
    private func ahead(of box: Rectangle, body: Rectangle) -> Rectangle {
        func distance(_ other: Rectangle) -> Double {
            max(abs(body.midX - other.midX) * pixelAspect, abs(body.midY - other.midY))
        }
        let longer = body.longerSide(pixelAspect: pixelAspect)
        // For the slow there is room enough, and a region that stays where it is keeps their mask steady; nobody is so fast that
        // it could be somebody else.
        guard let before = bodies.min(by: { distance($0) < distance($1) }),
            (RegionGeometry.margin / 3 * longer...longer / 2).contains(distance(before))
        else { return box }
        let (right, down) = (body.midX - before.midX, body.midY - before.midY)
        let next = Rectangle(x: body.x + right, y: body.y + down, width: body.width, height: body.height)
        return box.union(next).intersection(frame)
    }

    // Regions of their own for people in `rectangle` who have gone apart; nil where there is nothing to be gained.
    private func parted(_ boxes: [Rectangle], in rectangle: Rectangle) -> [Rectangle]? {
        // What is much lower than the tallest is more likely a hand or a bag of somebody's than somebody else.
        let least = (boxes.map(\.height).max() ?? 0) / 2
        var people = boxes.filter { $0.height >= least }
        guard people.count > 1 else { return nil }
        for box in boxes where box.height < least {
            func growth(_ index: Int) -> Double { people[index].union(box).area - people[index].area }
            let nearest = people.indices.min { growth($0) < growth($1) }!
            people[nearest] = people[nearest].union(box)
        }
        let room = following.regions - rectangles.count + 1
        let regions = geometry.joined(people.map(geometry.region), overlap: Self.slightOverlap, limit: room)
        let area = regions.reduce(0) { $0 + $1.area }
        return regions.count > 1 && area <= (1 - Self.spared) * rectangle.area ? regions : nil
    }

    // Those regions joined; none where the whole frame shows as much of everybody.
    private func regions(_ wanted: [Rectangle], limit: Double) -> [Rectangle] {
        let regions = geometry.joined(wanted, overlap: Self.overlap, limit: following.regions)
        let area = regions.reduce(0) { $0 + $1.area }
        let isAnyFar = regions.contains { geometry.showsTooSmall($0, frame) }
        return area < limit * frame.area || isAnyFar ? regions : []
    }
}
