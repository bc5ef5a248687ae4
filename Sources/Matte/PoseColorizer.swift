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
    // Two of 255 levels, less than the eye tells apart. Whatever trembles by less than that leaves the colour as it is: an
    // encoder then skips the background, instead of coding all of it anew in every frame.
    /// Steps that an angle is shown in, from nothing to the largest angle that counts.
    private static let stepsToLimit = 80.0
    /// Steps that an angle goes from the one that is shown before that follows: less than one, so that a head that comes to
    /// rest on a step is shown there.
    private static let reach = 0.9

    /// Roll, yaw and pitch.
    private typealias Angles = SIMD3<Double>

    private let mode: PoseColor
    // Steady to a fraction of a degree at rest, and within a frame or two of a quick turn.
    private var roll = OneEuroFilter(minimumCutoff: 1.5, speedCoefficient: 4)
    private var yaw = OneEuroFilter(minimumCutoff: 1.5, speedCoefficient: 4)
    private var pitch = OneEuroFilter(minimumCutoff: 1.5, speedCoefficient: 4)
    private var leadingFace = LeadingFace()
    private var lastFace: (time: Double, angles: Angles)?
    private var lastTime = -Double.infinity
    private var steadyRoll = 0.0
    private var rollColorRange = RollColorRange()
    /// The angles of the colour that is shown, in steps.
    private var shownSteps = Angles.zero

    init(_ mode: PoseColor) {
        self.mode = mode
    }

    /// Forgets the sequence.
    mutating func reset() { self = PoseColorizer(mode) }

    /// The colour at `time` seconds, of one of `faces`, which come the largest first; time that goes backwards begins a new
    /// sequence.
    mutating func color(for faces: [FaceObservation], at time: Double) -> RGBColor {
        if time < lastTime { reset() }
        lastTime = time
        if let face = leadingFace.next(of: faces) { lastFace = (time, Angles(face.roll, face.yaw, face.pitch)) }
        let target = target(at: time)
        // A head that turns past upside down goes from π to -π: the shorter way there is no turn back.
        steadyRoll = roll.filter(steadyRoll + (target[0] - steadyRoll).remainder(dividingBy: 2 * .pi), at: time)
        let steady = Angles(steadyRoll, yaw.filter(target[1], at: time), pitch.filter(target[2], at: time))
        let step = PoseColor.limits / Self.stepsToLimit
        let steps = steady / step
        let distance = steps - shownSteps
        if (distance * distance).max() > Self.reach * Self.reach {
            shownSteps = steps.rounded(.toNearestOrAwayFromZero)
        }
        let shown = shownSteps * step
        return mode.color(roll: rollColorRange.shown(shown[0], at: time), yaw: shown[1], pitch: shown[2])
    }

    private func target(at time: Double) -> Angles {
        guard let lastFace else { return .zero }
        let progress = min(max((time - lastFace.time - Self.hold) / Self.easing, 0), 1)
        // Smoothstep: leaves and arrives without a jerk.
        let remaining = 1 - progress * progress * (3 - 2 * progress)
        return lastFace.angles * remaining
    }
}
