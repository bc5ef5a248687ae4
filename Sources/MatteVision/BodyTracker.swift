import Imaging

/// Follows the body of a region's only person, as long as all of it can be seen, and says how much its mask counts.
///
/// People close to the camera are a segmentation network's matter. Looking for bodies costs little there: it is done seldom.
struct BodyTracker {
    /// From which presence on there is somebody.
    private static let sure = 0.5
    /// Frames until the next search where nobody was found, and until it is made sure that there is nobody else.
    private static let (rest, check) = (60, 30)
    /// By how much the weight of a body's mask grows from frame to frame, after the first one.
    private static let step: Float = 0.25
    /// The share of the body beyond which what else the segmentation networks see is somebody else, and not their mistake.
    private static let others = 0.12
    /// How many looks in a row may be in vain until the next ones have to wait.
    private static let patience = 10

    /// The square to look at; nil where no body is followed.
    private(set) var square: TurnedSquare?
    /// Frames until the next search.
    private var pause = 0
    /// How much the body's mask counts beside a segmentation network's, 0…1.
    private(set) var weight: Float = 0
    /// By how much it grows next.
    private var growth: Float = 1
    /// Looks in a row at a body that did not count.
    private var vain = 0

    /// Whether people are to be searched for in this frame.
    mutating func isSearchDue() -> Bool {
        pause -= 1
        return pause < 0
    }

    /// Takes in the squares of all `people` in the region; who is not alone is not followed.
    mutating func found(_ people: [TurnedSquare]) {
        pause = Self.check
        guard people.count == 1 else { return lose() }
        // Who is followed already is known better than that.
        square = square ?? people[0]
    }

    /// Takes in what a look at `square` showed, besides which the segmentation networks see `others`, as a share of the body.
    mutating func look(_ body: Body, others: Double) {
        defer { growth = Self.step }
        guard body.presence >= Self.sure, body.isWhole else { return lose() }
        square = body.square
        weight = others > Self.others ? 0 : min(weight + growth, 1)
        vain = weight > 0 ? 0 : vain + 1
        if vain == Self.patience { lose() }
    }

    /// What `mask`, a segmentation network's, shows besides the body in `body`, as a share of that.
    static func others(in mask: ScalarMap, besides body: ScalarMap) -> Double {
        var (own, others) = (0, 0)
        for (mask, body) in zip(mask.values, body.values) {
            if body > 0.5 { own += 1 } else if mask > 0.5 { others += 1 }
        }
        return Double(others) / Double(max(1, own))
    }

    /// Makes of `body` what it and `mask`, a segmentation network's, say together: the mean of both where it counts in full.
    func join(_ mask: ScalarMap, to body: inout ScalarMap) {
        let share = weight / 2
        body.values.withUnsafeMutableBufferPointer { body in
            mask.values.withUnsafeBufferPointer { mask in
                for i in body.indices { body[i] = mask[i] + (body[i] - mask[i]) * share }
            }
        }
    }

    /// Forgets the body; where it was followed it is looked for at once.
    mutating func lose() {
        pause = weight > 0 ? 0 : Self.rest
        (square, weight, vain) = (nil, 0, 0)
    }
}
