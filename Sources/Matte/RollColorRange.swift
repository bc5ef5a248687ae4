import MatteVision

/// Keeps a roll that goes on past half a turn where it has a colour: the colours of -π and π are far apart, and a head upside down
/// would flash with every small movement.
struct RollColorRange {
    /// How far past half a turn a roll stays on its side, in radians: as far as ``PoseColor/all`` gives the same colour anyway.
    private static let reluctance = 0.16 * Double.pi
    /// Seconds that the way from one end of the colours to the other takes.
    private static let crossing = 0.5

    /// Whole turns, in radians, that are taken off.
    private var turns = 0.0
    /// When some were taken off last, and how far that is to be gone.
    private var change: (time: Double, turns: Double)?

    /// The roll to show at `time` seconds for `roll` radians, which goes on over whole turns: the same direction, but for a while after
    /// it left one end of the colours for the other.
    mutating func shown(_ roll: Double, at time: Double) -> Double {
        if abs(roll - turns) > .pi + Self.reluctance {
            let whole = roll - roll.remainder(dividingBy: 2 * .pi)
            change = (time, whole - turns + remaining(at: time))
            turns = whole
        }
        return roll - turns + remaining(at: time)
    }

    /// What is still to go of the last change.
    private func remaining(at time: Double) -> Double {
        guard let change else { return 0 }
        return change.turns * (1 - min(max((time - change.time) / Self.crossing, 0), 1))
    }
}
