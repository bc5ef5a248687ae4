import Glibc
import Imaging

/// The turned square around a face that the mesh looks at.
///
/// In pixels of the frame as it is shown, as index coordinates: the centre of the first pixel is (0, 0), y down.
struct FaceRegion: Equatable {
    var x: Double
    var y: Double
    var side: Double
    /// Radians, clockwise as seen in the picture.
    var rotation: Double

    /// The square's side over the face's longer side.
    private static let scale = 1.5

    init(x: Double, y: Double, side: Double, rotation: Double) {
        self.x = x
        self.y = y
        self.side = side
        self.rotation = rotation
    }

    /// The region of a face that the detector found, turned as its eyes lie.
    init(_ detection: Detection) {
        let box = detection.box
        let eyes = detection.leftEye - detection.rightEye
        self.init(
            x: box.midX, y: box.midY, side: Self.scale * max(box.width, box.height), rotation: atan2(eyes.y, eyes.x))
    }

    /// The region for the next frame, from a mesh's landmarks.
    ///
    /// The landmarks' box is taken along the eyes and not, as MediaPipe does, along the picture: so the region does not
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
            x: c * center.x - s * center.y, y: s * center.x + c * center.y, side: Self.scale * (high - low).max(),
            rotation: rotation)
    }

    /// From the square's own coordinates (0…1 from its upper left corner) to the frame's.
    var toFrame: AffineTransform {
        let (c, s) = (side * cos(rotation), side * sin(rotation))
        return AffineTransform(a: c, b: -s, tx: x - (c - s) / 2, c: s, d: c, ty: y - (s + c) / 2)
    }
}
