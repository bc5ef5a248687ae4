import Glibc

/// Where a head looks, as three angles in radians with the signs of ``FaceObservation``.
///
/// The head's turn is pitch about x first, then yaw about y, then roll about z (axes of `RotationMatrix`).
struct HeadPose: Equatable {
    var roll: Double
    var yaw: Double
    var pitch: Double
}

extension HeadPose {
    /// The mesh flattens turned heads: yaw and pitch come out that much too small.
    private static let gain = 1.12
    /// Focal length that is assumed, over the frame's longer side: it sees 60 degrees across.
    private static let focalLength = 0.866

    /// The angles of `rotation`: roll and pitch in -π…π, yaw in -π/2…π/2.
    init(_ rotation: RotationMatrix) {
        roll = atan2(rotation.y.x, rotation.x.x)
        yaw = asin(max(-1, min(1, -rotation.z.x)))
        pitch = atan2(rotation.z.y, rotation.z.z)
    }

    /// The head's turn: `HeadPose(pose.rotation)` is the same pose again.
    var rotation: RotationMatrix {
        let (cr, sr) = (cos(roll), sin(roll))
        let (cy, sy) = (cos(yaw), sin(yaw))
        let (cp, sp) = (cos(pitch), sin(pitch))
        return RotationMatrix(
            x: [cr * cy, cr * sy * sp - sr * cp, cr * sy * cp + sr * sp],
            y: [sr * cy, sr * sy * sp + cr * cp, sr * sy * cp - cr * sp],
            z: [-sy, cy * sp, cy * cp])
    }

    /// The pose of the head with `landmarks` in a frame of `width` by `height` pixels.
    ///
    /// The canonical face is fitted to the landmarks, which gives the turn as seen along the ray to the face; it is then
    /// brought from the ray's axes to the camera's, for a head at the picture's edge is seen from its side.
    init(landmarks: [SIMD3<Double>], canonicalFace: CanonicalFace, width: Int, height: Int) {
        let fit = RotationMatrix(
            from: canonicalFace.vertices, to: landmarks.map { $0 * [1, -1, -1] }, weights: canonicalFace.weights)
        var apparent = HeadPose(fit)
        apparent.yaw *= Self.gain
        apparent.pitch *= Self.gain
        var center = SIMD3<Double>.zero
        for i in landmarks.indices { center += canonicalFace.weights[i] * landmarks[i] }
        let ray = Self.turnToCamera(
            x: center.x - Double(width) / 2, y: center.y - Double(height) / 2,
            focalLength: Self.focalLength * Double(max(width, height)))
        self.init(apparent.rotation.then(ray))
        // Beyond a quarter turn the same rotation is told with the other two angles turned round, at which they would jump.
        if cos(roll - apparent.roll) < 0 {
            roll = apparent.roll
            pitch = apparent.pitch
            yaw = yaw < 0 ? -.pi / 2 : .pi / 2
        }
    }

    /// The smallest turn that takes the z axis to the direction from a face at (x, y) pixels off the picture's centre, y
    /// down, to the camera.
    private static func turnToCamera(x: Double, y: Double, focalLength: Double) -> RotationMatrix {
        let direction = SIMD3(-x / focalLength, y / focalLength, 1)
        let unit = direction / (direction * direction).sum().squareRoot()
        let (a, b, c) = (unit.x, unit.y, unit.z)
        let k = 1 / (1 + c)
        return RotationMatrix(x: [1 - a * a * k, -a * b * k, a], y: [-a * b * k, 1 - b * b * k, b], z: [-a, -b, c])
    }
}
