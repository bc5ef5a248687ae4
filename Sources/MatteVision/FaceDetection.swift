import Imaging

/// A face that the detector found.
struct FaceDetection: Equatable {
    /// How sure the detector is, 0…1.
    var score: Double
    /// Two opposite corners of the box, then the key points: right eye, left eye, nose tip, mouth, right and left ear (the
    /// person's right and left).
    var points: [SIMD2<Double>]

    /// Boxes whose intersection over union is greater are of one face.
    private static let overlap = 0.3

    var box: Rectangle {
        let low = pointwiseMin(points[0], points[1])
        let size = pointwiseMax(points[0], points[1]) - low
        return Rectangle(x: low.x, y: low.y, width: size.x, height: size.y)
    }

    var rightEye: SIMD2<Double> { points[2] }
    var leftEye: SIMD2<Double> { points[3] }

    func overlaps(_ other: FaceDetection) -> Bool { box.intersectionOverUnion(other.box) > Self.overlap }

    func applying(_ transform: AffineTransform) -> FaceDetection {
        let moved = points.map { point in
            let (x, y) = transform.apply(point.x, point.y)
            return SIMD2(x, y)
        }
        return FaceDetection(score: score, points: moved)
    }
}

extension [FaceDetection] {
    /// One detection for each face, best first: the mean of those that overlap its best one, weighted by their scores, with
    /// the best one's score (weighted non-maximum suppression, as in MediaPipe's face detection).
    func merged() -> [FaceDetection] {
        var rest = sorted { $0.score > $1.score }
        var faces: [FaceDetection] = []
        while let best = rest.first {
            // A box without area does not overlap even itself.
            let group = [best] + rest.dropFirst().filter { $0.overlaps(best) }
            rest = rest.dropFirst().filter { !$0.overlaps(best) }
            let weight = group.reduce(0) { $0 + $1.score }
            let points = best.points.indices.map { index in
                group.reduce(SIMD2<Double>.zero) { $0 + $1.score * $1.points[index] } / weight
            }
            faces.append(FaceDetection(score: best.score, points: points))
        }
        return faces
    }

    /// Of detections that overlap only the best, best first: detections of different turns must not be averaged.
    func bestOfOverlapping() -> [FaceDetection] {
        var kept: [FaceDetection] = []
        for detection in sorted(by: { $0.score > $1.score }) where !kept.contains(where: detection.overlaps) {
            kept.append(detection)
        }
        return kept
    }
}
