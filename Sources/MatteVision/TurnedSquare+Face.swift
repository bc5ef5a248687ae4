import Glibc
import Imaging

/// The squares around a face that the mesh looks at.
extension TurnedSquare {
    /// The square's side over the face's longer side.
    private static let faceScale = 1.5

    /// That of a face that the detector found, turned as its eyes lie.
    init(face detection: Detection) {
        let box = detection.box
        let eyes = detection.leftEye - detection.rightEye
        self.init(
            x: box.midX, y: box.midY, side: Self.faceScale * max(box.width, box.height),
            rotation: atan2(eyes.y, eyes.x))
    }

    /// That for the next frame, from a mesh's landmarks.
    ///
    /// The landmarks' box is taken along the eyes and not, as MediaPipe does, along the picture: so the square does not
    /// breathe while the head rolls.
    init(landmarks: [SIMD3<Double>]) {
        let eyes = landmarks[FaceMesh.leftEyeCorner] - landmarks[FaceMesh.rightEyeCorner]
        let rotation = atan2(eyes.y, eyes.x)
        let (c, s) = (cos(rotation), sin(rotation))
        var low = SIMD2<Double>(repeating: .infinity)
        var high = SIMD2<Double>(repeating: -.infinity)
        for point in landmarks {
            let along = SIMD2(c * point.x + s * point.y, c * point.y - s * point.x)
            low = pointwiseMin(low, along)
            high = pointwiseMax(high, along)
        }
        let center = (low + high) / 2
        self.init(
            x: c * center.x - s * center.y, y: s * center.x + c * center.y, side: Self.faceScale * (high - low).max(),
            rotation: rotation)
    }
}
