import Imaging
import MatteVision

/// Gives each frame the colour of its head: steady while the head rests, prompt when it moves.
///
/// Without a face the last angles are held for a while, and then ease to those of a neutral head.
struct PoseColorizer {
    /// Seconds that the angles are held after the face went.
    private static let hold = 0.5
    /// Seconds that the way to neutral takes after that.
    private static let easing = 1.0

    private struct Angles {
        var roll = 0.0
        var yaw = 0.0
        var pitch = 0.0
    }

    private let mode: PoseColor
    // Steady to a fraction of a degree at rest, and within a frame or two of a quick turn.
    private var roll = OneEuroFilter(minimumCutoff: 1.5, speedCoefficient: 4)
    private var yaw = OneEuroFilter(minimumCutoff: 1.5, speedCoefficient: 4)
    private var pitch = OneEuroFilter(minimumCutoff: 1.5, speedCoefficient: 4)
    private var lastFace: (time: Double, angles: Angles)?
    private var shownRoll = 0.0

    init(_ mode: PoseColor) {
        self.mode = mode
    }

    /// Forgets the sequence.
    mutating func reset() { self = PoseColorizer(mode) }

    /// The colour at `time` seconds, with `face` or without one; time that goes backwards begins a new sequence.
    mutating func color(for face: FaceObservation?, at time: Double) -> RGBColor {
        if let lastFace, time < lastFace.time { reset() }
        if let face { lastFace = (time, Angles(roll: face.roll, yaw: face.yaw, pitch: face.pitch)) }
        let target = target(at: time)
        // A head that turns past upside down goes from π to -π: the shorter way there is no turn back.
        shownRoll = roll.filter(shownRoll + (target.roll - shownRoll).remainder(dividingBy: 2 * .pi), at: time)
        return mode.color(
            roll: shownRoll.remainder(dividingBy: 2 * .pi), yaw: yaw.filter(target.yaw, at: time),
            pitch: pitch.filter(target.pitch, at: time))
    }

    private func target(at time: Double) -> Angles {
        guard let lastFace else { return Angles() }
        let progress = min(max((time - lastFace.time - Self.hold) / Self.easing, 0), 1)
        // Smoothstep: leaves and arrives without a jerk.
        let remaining = 1 - progress * progress * (3 - 2 * progress)
        let angles = lastFace.angles
        return Angles(roll: angles.roll * remaining, yaw: angles.yaw * remaining, pitch: angles.pitch * remaining)
    }
}
