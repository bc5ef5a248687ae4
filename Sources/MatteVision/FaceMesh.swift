import Imaging

/// A face as the mesh network sees it.
struct FaceMesh {
    static let landmarkCount = 468
    /// Vertex at the outer corner of the person's right eye, which is on the picture's left.
    static let rightEyeCorner = 33
    /// Vertex at the outer corner of the person's left eye.
    static let leftEyeCorner = 263
    /// The presence from which on a region holds a face.
    private static let presenceThreshold = 0.5

    /// x and y in pixels of the frame as it is shown (index coordinates, y down), z in the same unit, smaller is nearer.
    let landmarks: [SIMD3<Double>]
    /// How sure the network is that its region holds a face, 0…1.
    let presence: Double

    var isFace: Bool { presence >= Self.presenceThreshold }

    /// The landmarks' box, from forehead to chin, by pixel edges.
    var box: Rectangle {
        var low = landmarks[0]
        var high = landmarks[0]
        for point in landmarks {
            low = pointwiseMin(low, point)
            high = pointwiseMax(high, point)
        }
        // From pixel centres at whole coordinates to pixel edges.
        return Rectangle(x: low.x + 0.5, y: low.y + 0.5, width: high.x - low.x, height: high.y - low.y)
    }
}
