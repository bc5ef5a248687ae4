import Imaging
import MatteVision

/// Picks the face that the colour follows: the largest, but of faces about as large as each other always the same one.
struct LeadingFace {
    /// How many times the area of the face that is followed another one must have to take its place.
    private static let lead = 1.5
    /// Boxes of two frames whose intersection over union is greater may be of one face.
    private static let overlap = 0.2

    private var box: Rectangle?

    /// The leading one of the next frame's `faces`, which come the largest first.
    mutating func next(of faces: [FaceObservation]) -> FaceObservation? {
        guard let largest = faces.first else { return nil }
        var leading = largest
        if let box,
            let same = faces.max(by: { overlap($0, box) < overlap($1, box) }), overlap(same, box) > Self.overlap,
            largest.boundingBox.area <= Self.lead * same.boundingBox.area
        {
            leading = same
        }
        box = leading.boundingBox
        return leading
    }

    private func overlap(_ face: FaceObservation, _ box: Rectangle) -> Double {
        face.boundingBox.intersectionOverUnion(box)
    }
}
