/// Whether frames follow each other at one rate, as far as the unit of their times can tell.
struct FrameSpacing {
    private var last: Int64?
    private var shortest = Int64.max
    private var longest = Int64.min

    /// Notes the next frame's time; nil where it is not known.
    mutating func note(_ pts: Int64?) {
        if let last, let pts {
            shortest = min(shortest, pts - last)
            longest = max(longest, pts - last)
        }
        last = pts
    }

    /// Distances may differ by one unit, to which times are rounded, unless a frame lasts no longer than that itself.
    var isConstant: Bool { longest <= shortest || (longest - shortest == 1 && longest > 2) }
}
