import Imaging

/// How readily a region shrinks to the people in it.
///
/// In a smaller region a network may see more of what is around somebody, or less of them, for which the region grows again. One that has
/// to do so soon after it shrank waits longer every time, so that it does not shrink and grow in turn.
struct RegionPatience {
    /// For how many frames in a row a smaller region must have done, once one that shrank grew again, and at most.
    private static let (shortest, longest) = (4, 128)
    /// Up to how many frames after it shrank a region grows because it shrank.
    private static let soon = 4

    /// What the region was before this frame, if it has just shrunk.
    private(set) var former: Rectangle?
    private var pause = 0
    /// For how many frames in a row a smaller region has done.
    private var spare = 0
    private var sinceShrunk = soon + 1

    /// Whether a region for which a smaller one would do in this frame, too, may shrink.
    mutating func mayShrink() -> Bool {
        former = nil
        (spare, sinceShrunk) = (spare + 1, sinceShrunk + 1)
        return spare > pause
    }

    /// Takes in that the region, which was `former`, has shrunk.
    mutating func shrink(from former: Rectangle) { (self.former, sinceShrunk) = (former, 0) }

    /// Takes in a frame for which the region is right.
    mutating func stay() { (former, spare, sinceShrunk) = (nil, 0, sinceShrunk + 1) }

    /// Takes in a frame for which the region is too small.
    mutating func grow() {
        if sinceShrunk <= Self.soon { pause = min(max(2 * pause, Self.shortest), Self.longest) }
        (former, spare, sinceShrunk) = (nil, 0, Self.soon + 1)
    }
}
