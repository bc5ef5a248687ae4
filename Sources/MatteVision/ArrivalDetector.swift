import Imaging

/// Who comes into the frame of a camera that moves little, told by what changes at the frame's edge.
///
/// A detector knows people by head and shoulders, and until then networks see different things; half of somebody has come in before.
/// What has changed differs from a running average of what was there (Piccardi, "Background subtraction techniques: a review", 2004).
/// For one thread at a time.
struct ArrivalDetector {
    /// By what share of a new frame the average comes nearer to it: soon enough that where somebody was is background again.
    private static let adaptation: Float = 1 / 8
    /// How much of the frame's height somebody takes up at least.
    private static let least = 0.15
    /// How much of the frame's width somebody takes up at most, and the share of the rest of the frame that may change, too; where it
    /// is more, the camera moves, or the light does.
    private static let (most, unrest) = (0.5, 0.1)
    /// From which agreement on, as intersection over union, what a mask shows is what has changed.
    private static let agreement = 0.5
    /// For how many frames nobody is looked for where somebody who came in turned out to be no person.
    private static let rest = 150
    /// For how many frames what was looked at in vain is left, at first and at most: twice as long every time.
    private static let (pause, longestPause) = (2, 8)
    /// The share of a change that was looked at in vain where it is still the same; less of it, and it has come further in.
    private static let same = 0.9
    /// How many parts of the frame away what was there may be now: none where the camera stands still; one where it is held in a hand,
    /// or turns slowly, and then what is like its surroundings goes unseen.
    private static let tolerances = 0...1

    /// The frame last seen, and what was there before it, as they are stored.
    private var (picture, usual) = (ScalarMap(width: 1, height: 1), ScalarMap(width: 1, height: 1))
    /// 1 where something has changed, else 0.
    private var changes = ScalarMap(width: 1, height: 1)
    private var denied: [(region: Rectangle, rest: Int)] = []
    /// What was looked at in vain, for how many frames it is left, and how many of them are to come; below 0, how many are gone since.
    private var unknown: [(region: Rectangle, pause: Int, rest: Int)] = []

    /// Forgets the scene.
    mutating func reset() { self = ArrivalDetector() }

    /// Takes in the next frame's `thumbnail`, its brightness (0…1, black at 0) as it is stored.
    mutating func see(_ thumbnail: ScalarMap) {
        denied = denied.filter { $0.rest > 1 }.map { ($0.region, $0.rest - 1) }
        unknown = unknown.filter { $0.rest > -$0.pause }.map { ($0.region, $0.pause, $0.rest - 1) }
        if usual.values.count == thumbnail.values.count {
            for index in usual.values.indices {
                usual.values[index] += (picture.values[index] - usual.values[index]) * Self.adaptation
            }
        } else {
            usual.copy(thumbnail)
        }
        picture.copy(thumbnail)
    }

    /// Takes in that who came into `region` was no person.
    mutating func deny(_ region: Rectangle) { denied.append((region, Self.rest)) }

    /// Takes in that in `region`, where something came in, nobody was seen.
    mutating func lookedInVain(at region: Rectangle) {
        // Something that moves may be seen in parts.
        let before = unknown.filter { $0.region.intersection(region).area > 0 }
        let pause = before.map { min(2 * $0.pause, Self.longestPause) }.max() ?? Self.pause
        unknown.removeAll { $0.region.intersection(region).area > 0 }
        unknown.append((before.reduce(region) { $0.union($1.region) }, pause, pause))
    }

    // Marks what no part of the frame that is up to `tolerance` away looked like; what so near to the edge may have come from outside
    // is like what is beside it.
    private mutating func findChanges(tolerance: Int) {
        let (width, height) = (picture.width, picture.height)
        changes.resize(width: width, height: height)
        let difference = LittleLight.difference(between: usual.values, and: picture.values)
        for y in 0..<height {
            let row = min(max(y, tolerance), height - 1 - tolerance)
            for x in 0..<width {
                let column = min(max(x, tolerance), width - 1 - tolerance)
                var (low, high) = (Float.infinity, -Float.infinity)
                for line in row - tolerance...row + tolerance {
                    for index in line * width + column - tolerance...line * width + column + tolerance {
                        low = min(low, usual.values[index])
                        high = max(high, usual.values[index])
                    }
                }
                let brightness = picture.values[row * width + column]
                let hasChanged = brightness > high + difference || brightness < low - difference
                changes.values[y * width + x] = hasChanged ? 1 : 0
            }
        }
    }

    /// Around what comes in at the edges of `frame`, the one last seen, outside of the regions of those who are `known`; in its upright
    /// pixels.
    mutating func arrivals(in frame: VideoFrame, besides known: [Rectangle]) -> [Rectangle] {
        let (area, toUpright) = (storedArea(of: frame), frame.uprightToStored.inverse)
        let (width, height) = (Double(frame.uprightSize.width), Double(frame.uprightSize.height))
        let known = known.map { $0.applying(frame.uprightToStored) }
        for tolerance in Self.tolerances {
            findChanges(tolerance: tolerance)
            let others = changes.emptied(in: known, of: area)
            let arrivals = PersonBoxes.find(in: others, of: area).filter { stored in
                let box = stored.applying(toUpright)
                let isAtEdge = box.x < 1 || box.y < 1 || box.maxX > width - 1 || box.maxY > height - 1
                let isDenied = denied.contains { $0.region.intersection(box).area > 0 }
                return isAtEdge && !isDenied && box.height >= Self.least * height && box.width <= Self.most * width
            }
            let rest = others.emptied(in: arrivals, of: area).values.reduce(0, +)
            let isStill = Double(rest) <= Self.unrest * Double(others.values.count)
            if isStill { return arrivals.map { $0.applying(toUpright) }.filter { !isLeft($0) } }
        }
        return []
    }

    // Whether `box` was looked at in vain, and is left for now.
    private func isLeft(_ box: Rectangle) -> Bool {
        unknown.contains { $0.rest > 0 && $0.region.intersection(box).area >= Self.same * box.area }
    }

    /// Whether what `mask`, that of `window` of `frame`, the one last seen, shows in `region` is what has changed there, outside of the
    /// regions of those who are `known`.
    func agrees(
        with mask: ScalarMap, of window: Rectangle, in region: Rectangle, frame: VideoFrame, besides known: [Rectangle]
    ) -> Bool {
        let (area, toUpright) = (storedArea(of: frame), frame.uprightToStored.inverse)
        let (across, down) = (area.width / Double(changes.width), area.height / Double(changes.height))
        let part = region.intersection(window)
        var (either, both) = (0, 0)
        for row in 0..<changes.height {
            for column in 0..<changes.width {
                let (x, y) = toUpright.apply((Double(column) + 0.5) * across, (Double(row) + 0.5) * down)
                guard part.contains(x: x, y: y), !known.contains(where: { $0.contains(x: x, y: y) }) else { continue }
                let maskRow = Int((y - window.y) / window.height * Double(mask.height))
                let maskColumn = Int((x - window.x) / window.width * Double(mask.width))
                let isPerson = mask.values[maskRow * mask.width + maskColumn] > 0.5
                let hasChanged = changes.values[row * changes.width + column] > 0
                if isPerson || hasChanged { either += 1 }
                if isPerson && hasChanged { both += 1 }
            }
        }
        return either > 0 && Double(both) >= Self.agreement * Double(either)
    }

    private func storedArea(of frame: VideoFrame) -> Rectangle {
        let picture = frame.pixelBuffer
        return Rectangle(width: picture.width, height: picture.height)
    }
}
