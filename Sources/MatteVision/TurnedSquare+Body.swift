import Glibc
import Imaging

/// The squares around a body.
extension TurnedSquare {
    /// The square's side over twice the body's reach from the middle of the hips.
    private static let bodyScale = 1.25

    /// That of a body whose hips' middle is at `center` and which reaches as far as `reach`, in which direction is up for it.
    init(center: SIMD2<Double>, reach: SIMD2<Double>) {
        let up = reach - center
        self.init(
            x: center.x, y: center.y, side: 2 * Self.bodyScale * (up * up).sum().squareRoot(),
            rotation: atan2(up.x, -up.y))
    }
}
