/// Whether the people that a mask shows are there, by looks of a person detector now and then.
///
/// Segmentation networks take what they know best for people: animals, fruit, a chair that somebody has left. A detector was
/// made to tell, but takes longer than they do; so it is asked about what is new or has changed, and seldom about the rest.
struct PersonPresence {
    /// How many looks in a row must not find somebody known, and how many masks must be empty.
    private static let patience = 3
    /// Frames from one look to the next, at least and at most: where it showed nobody, where it may have been somebody, where
    /// somebody known was not seen, and where people are known.
    private static let (whileAbsent, whileLikely, inDoubt, whilePresent) = (1...10, 1...5, 5...5, 5...150)
    /// For how many frames somebody may come in before a look has to show them.
    private static let arrival = 30
    /// By which factor the mask's area grows or shrinks until another look is due.
    private static let change: Float = 1.5
    /// After how many frames a look at such a change, or at what may be somebody, is made up for, and how many frames may be owed:
    /// whoever comes in gets a look in frame after frame, a busy background, whose masks change all the time, does not.
    private static let (price, credit) = (10, 80)

    private enum State { case unknown, arriving, present, absent }
    private var state: State
    /// Frames since the last look.
    private var age = 0
    /// The mask's area at the last look.
    private var area: Float?
    private var doubts = 0
    /// Whether it may well have been people whom the last look showed.
    private var isLikely = false
    /// Frames in a row in which the mask showed nothing.
    private var empty = 0
    /// Frames that early looks have still to be made up for.
    private var debt = 0
    /// Frames for which somebody may still come in.
    private var timeLeft = arrival

    /// Of somebody in whose mask nobody has looked for people.
    static let unknown = PersonPresence(state: .unknown)
    /// Of somebody who comes into the frame, of whom no look can be sure yet.
    static let arriving = PersonPresence(state: .arriving)
    /// Of people who are known to be there.
    static let known = PersonPresence(state: .present)

    private init(state: State) { self.state = state }

    /// Whether people are known to be there, or to come in.
    var isPresent: Bool { state == .present || isArriving }
    /// Whether somebody comes in, of whom no look was sure yet.
    var isArriving: Bool { state == .arriving }
    /// Whether what the mask shows is no people.
    var isAbsent: Bool { state == .absent }

    /// Whether a look may be due at the mask of the next frame, whatever it is.
    var mayLook: Bool {
        var next = self
        next.pass()
        return state == .unknown || next.age >= (next.canAfford ? pause.lowerBound : pause.upperBound)
    }

    private var canAfford: Bool { debt + Self.price <= Self.credit }

    private mutating func pass() { (age, debt, timeLeft) = (age + 1, max(0, debt - 1), max(0, timeLeft - 1)) }

    /// Whether a look is due at the mask of the next frame, of which `area` says person.
    mutating func isLookDue(_ area: Float) -> Bool {
        pass()
        guard area > 0 else {
            empty += 1
            // Whoever comes after that is somebody else.
            if empty >= (state == .absent ? Self.whileAbsent.upperBound : Self.patience) { self = .unknown }
            return false
        }
        empty = 0
        let last = self.area ?? area
        self.area = last
        guard state != .unknown else { return true }
        guard age < pause.upperBound else { return true }
        let hasChanged = area > Self.change * last || last > Self.change * area
        guard hasChanged || isLikely && state == .absent, canAfford, age >= pause.lowerBound else { return false }
        debt += Self.price
        return true
    }

    private var pause: ClosedRange<Int> {
        if state == .absent { return isLikely ? Self.whileLikely : Self.whileAbsent }
        return doubts > 0 || isArriving ? Self.inDoubt : Self.whilePresent
    }

    /// Takes in how sure it is that there are people in a mask of which `area` says person.
    mutating func look(_ certainty: PersonCertainty, area: Float) {
        (age, self.area) = (0, area)
        isLikely = certainty.isLikely
        guard state == .present else {
            if !certainty.isEnough, isArriving, timeLeft > 0 { return }
            state = certainty.isEnough ? .present : .absent
            doubts = 0
            return
        }
        doubts = certainty.isMissing ? doubts + 1 : 0
        if doubts == Self.patience { state = .absent }
    }
}
