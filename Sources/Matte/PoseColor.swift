import Imaging
import MatteVision

/// The colour that a head's angles stand for.
public enum PoseColor: String, CaseIterable, Hashable, Sendable {
    /// Red from roll, green from yaw, blue from pitch; a neutral head gives mid grey.
    case all
    /// Roll alone: red for positive, blue for negative, lighter towards zero.
    case roll
    /// Yaw alone, in the same way.
    case yaw
    /// Pitch alone, in the same way.
    case pitch

    /// The largest roll, yaw and pitch that count, in radians.
    static let limits = SIMD3(Double.pi, .pi / 2, .pi / 2)

    /// The colour of a head turned by these angles, in radians with the signs of ``/MatteVision/FaceObservation``.
    public func color(roll: Double, yaw: Double, pitch: Double) -> RGBColor {
        switch self {
        case .all:
            RGBColor(
                red: Self.level(roll, limit: Self.limits[0]), green: Self.level(yaw, limit: Self.limits[1]),
                blue: Self.level(pitch, limit: Self.limits[2]))
        case .roll: Self.tint(roll, limit: Self.limits[0])
        case .yaw: Self.tint(yaw, limit: Self.limits[1])
        case .pitch: Self.tint(pitch, limit: Self.limits[2])
        }
    }

    // From 0 at -0.84 of the limit to 1 at 0.8 of it, as in Apple's sample of 2021.
    private static func level(_ angle: Double, limit: Double) -> Float {
        let (low, high) = (-0.84 * limit, 0.8 * limit)
        return Float(min(max((angle - low) / (high - low), 0), 1))
    }

    private static func tint(_ angle: Double, limit: Double) -> RGBColor {
        let lightness = Float(1 - min(abs(angle) / limit, 1))
        return angle >= 0
            ? RGBColor(red: 1, green: lightness, blue: lightness) : RGBColor(red: lightness, green: lightness, blue: 1)
    }
}
