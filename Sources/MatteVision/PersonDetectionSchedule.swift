/// When a person detector looks for the people of a scene and in which part of a frame, and by how many quarters frames are to be
/// turned, as its looks tell, for people to stand upright.
struct PersonDetectionSchedule {
    /// Frames from one look to the next: where nobody was seen for sure, from the first look on, growing up to the last; and where
    /// people may have lain down or got up.
    private static let (whileUnknown, inDoubt) = (5...40, 5)

    /// The same where people were seen for sure.
    private let whileKnown: Int
    /// Clockwise.
    private(set) var quarters = 0
    /// Whether people were seen for sure.
    private var isKnown = false
    /// By how much more the last look told the frames to be turned, which one more has to confirm.
    private var suspected = 0
    private var pause = whileUnknown.lowerBound
    private var looks = 0
    /// Frames until the next look.
    private var rest = 0

    /// A schedule with a look every `whileKnown` frames once people were seen for sure.
    init(whileKnown: Int) { self.whileKnown = whileKnown }

    /// Which of so many windows of the next frame the detector is to look at; the first is the whole frame. All of a new scene, then
    /// one in turn; the whole frame where its people may have lain down or got up.
    mutating func windowsDue(of count: Int) -> Range<Int> {
        rest -= 1
        guard rest < 0 else { return 0..<0 }
        guard suspected == 0 else { return 0..<1 }
        defer { looks += 1 }
        return looks == 0 ? 0..<count : looks % count..<looks % count + 1
    }

    /// Takes in by how many more quarters the people in `windows` of the frame, turned by `quarters`, have to be turned to stand
    /// upright; nil where nobody was seen for sure. Once people are known it takes two looks to turn them, at all of them.
    mutating func look(_ seen: Int?, in windows: Range<Int>) {
        guard !isKnown || windows.contains(0) else {
            rest = whileKnown
            return
        }
        guard let seen else {
            suspected = 0
            rest = isKnown ? whileKnown : pause
            pause = min(2 * pause, Self.whileUnknown.upperBound)
            return
        }
        if isKnown, seen != suspected, seen != 0 {
            (suspected, rest) = (seen, Self.inDoubt)
            return
        }
        quarters = (quarters + seen) % 4
        (isKnown, suspected, rest) = (true, 0, whileKnown)
    }
}
