import Imaging

/// Follows the bodies of a region's people, as long as all of a body can be seen, and says how much their masks count.
///
/// People close to the camera are a segmentation network's matter. Looking for bodies costs little there: it is done seldom.
struct BodyTracker {
    /// From which presence on there is somebody.
    private static let sure = 0.5
    /// How sure it must be that a body is seen whole: somebody new's, and that of somebody who is followed; less, so that nobody is
    /// lost and found again all the time.
    private static let (newWhole, whole) = (0.8, 0.5)
    /// Frames until the next search where nobody was found, and until others, or those who were lost, are looked for.
    private static let (rest, check) = (60, 15)
    /// For how many frames those are looked for who were lost.
    private static let memory = 120
    /// How many looks in a row may show somebody who is followed without their feet.
    private static let patience = 5
    /// By how much the weight of bodies' masks grows from frame to frame, after the first one.
    private static let step: Float = 0.25
    /// How far apart, in the smaller one's sides, the squares of two people are at least.
    private static let apart = 0.15

    private struct Followed {
        let square: TurnedSquare
        /// Whether a look has shown somebody there.
        var isKnown = false
        /// Looks in a row that did not show all of the body.
        var doubts = 0
    }
    private var followed: [Followed] = []
    /// Frames until the next search.
    private var pause = 0
    /// How much bodies' masks count beside a segmentation network's, 0…1.
    private(set) var weight: Float = 0
    /// By how much it grows next.
    private var growth: Float = 1
    /// Frames since a body counted.
    private var absence = memory

    /// The squares to look at, one for each body that is followed.
    var squares: [TurnedSquare] { followed.map(\.square) }

    /// Whether people are to be searched for in this frame, of whom no more than `most` are followed.
    mutating func isSearchDue(most: Int) -> Bool {
        pause -= 1
        absence += 1
        return pause < 0 && followed.count < most
    }

    /// Takes in the squares of all `people` in the region, the surest first; of whom no more than `most` are followed.
    mutating func found(_ people: [TurnedSquare], most: Int) {
        for person in people where followed.count < most {
            // Who is followed already is known better than that.
            if followed.allSatisfy({ Self.areApart($0.square, person) }) { followed.append(Followed(square: person)) }
        }
        pause = wait
    }

    private var wait: Int { followed.isEmpty && absence >= Self.memory ? Self.rest : Self.check }

    private static func areApart(_ first: TurnedSquare, _ second: TurnedSquare) -> Bool {
        let between = SIMD2(first.x - second.x, first.y - second.y)
        return (between * between).sum().squareRoot() >= apart * min(first.side, second.side)
    }

    /// Lets those go whose squares do not reach into `frame`, and those beyond `most`.
    mutating func keep(in frame: VideoFrame, most: Int) {
        followed = Array(followed.filter { $0.square.reaches(into: frame) }.prefix(most))
        if followed.isEmpty { weight = 0 }
    }

    /// Takes in what looks at `squares`, in their order, showed, and gives which of them count; of those that show the same person,
    /// by the indices of `bodies`, the first does.
    mutating func look(_ bodies: [Body], isSame: (Int, Int) -> Bool) -> [Int] {
        var counted: [Int] = []
        var next: [Followed] = []
        for (index, (body, followed)) in zip(bodies, followed).enumerated() where body.presence >= Self.sure {
            if body.wholeness >= (followed.isKnown ? Self.whole : Self.newWhole) {
                guard !counted.contains(where: { isSame($0, index) }) else { continue }
                counted.append(index)
                next.append(Followed(square: body.square, isKnown: true))
            } else if followed.isKnown, followed.doubts < Self.patience {
                next.append(Followed(square: body.square, isKnown: true, doubts: followed.doubts + 1))
            }
        }
        let isSomebodyLost = next.count { $0.isKnown } < followed.count { $0.isKnown }
        followed = next
        if isSomebodyLost { pause = 0 } else if followed.isEmpty { pause = wait }
        if !counted.isEmpty { absence = 0 }
        weight = counted.isEmpty ? 0 : min(weight + growth, 1)
        growth = Self.step
        return counted
    }
}
