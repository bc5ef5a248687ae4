import Glibc
import Imaging

/// A face or a person that a detector found.
struct Detection: Equatable {
    /// How sure the detector is, 0…1.
    var score: Double
    /// Two opposite corners of the box, which is the face's, a person's too, but an object detector's is around all that is seen; then
    /// the key points that the detector gives.
    var points: [SIMD2<Double>]

    /// Boxes whose intersection over union is greater are of one face or person.
    private static let overlap = 0.3

    var box: Rectangle {
        let low = pointwiseMin(points[0], points[1])
        let size = pointwiseMax(points[0], points[1]) - low
        return Rectangle(x: low.x, y: low.y, width: size.x, height: size.y)
    }

    func overlaps(_ other: Detection) -> Bool { overlaps(other.box) }

    func overlaps(_ other: Rectangle) -> Bool { box.intersectionOverUnion(other) > Self.overlap }

    func applying(_ transform: AffineTransform) -> Detection {
        let moved = points.map { point in
            let (x, y) = transform.apply(point.x, point.y)
            return SIMD2(x, y)
        }
        return Detection(score: score, points: moved)
    }
}

/// A face's key points: right eye, left eye, nose tip, mouth, right and left ear (the person's right and left).
extension Detection {
    var rightEye: SIMD2<Double> { points[2] }
    var leftEye: SIMD2<Double> { points[3] }
}

/// A person's key points.
extension Detection {
    /// The middle of the hips.
    var hips: SIMD2<Double> { points[2] }
    /// As far above the hips as the body reaches.
    var reach: SIMD2<Double> { points[3] }

    /// How far the body leans, in radians clockwise as seen in the picture.
    func lean(pixelAspect: Double) -> Double {
        let up = (reach - hips) * [pixelAspect, 1]
        return atan2(up.x, -up.y)
    }

    /// About where all of an upright body is: as far below the hips as it reaches above them, and half as wide as high.
    func body(pixelAspect: Double) -> Rectangle {
        let up = (reach - hips) * [pixelAspect, 1]
        let length = (up * up).sum().squareRoot()
        return Rectangle(
            x: hips.x - length / 2 / pixelAspect, y: hips.y - length, width: length / pixelAspect, height: 2 * length)
    }
}

extension [Detection] {
    /// One detection for each face or person, best first: the mean of those that overlap its best one, weighted by their
    /// scores, with the best one's score (weighted non-maximum suppression, as in MediaPipe's detectors).
    func merged() -> [Detection] {
        var rest = sorted { $0.score > $1.score }
        var merged: [Detection] = []
        while let best = rest.first {
            // A box without area does not overlap even itself.
            let group = [best] + rest.dropFirst().filter { $0.overlaps(best) }
            rest = rest.dropFirst().filter { !$0.overlaps(best) }
            let weight = group.reduce(0) { $0 + $1.score }
            let points = best.points.indices.map { index in
                group.reduce(SIMD2<Double>.zero) { $0 + $1.score * $1.points[index] } / weight
            }
            merged.append(Detection(score: best.score, points: points))
        }
        return merged
    }

    /// Of detections that overlap only the best, best first: detections of different turns must not be averaged.
    func bestOfOverlapping() -> [Detection] {
        var kept: [Detection] = []
        for detection in sorted(by: { $0.score > $1.score }) where !kept.contains(where: detection.overlaps) {
            kept.append(detection)
        }
        return kept
    }
}
