import Imaging

/// A face in a frame: where it is and where it looks.
///
/// The head is turned by pitch first, then by yaw, then by roll. Towards a profile, where yaw comes near a quarter turn, roll and
/// pitch become turns about the same axis, which can hardly be told apart.
public struct FaceObservation: Sendable, Hashable {
    /// The face's box from forehead to chin, as fractions of the upright picture's width and height from its upper left
    /// corner; what lies beyond the picture is cut off.
    ///
    /// Vision counts from the lower left corner: its `y` is `1 - boundingBox.maxY` here.
    public let boundingBox: Rectangle
    /// How sure the network is that this is a face, 0…1.
    public let confidence: Float
    /// Turn in the picture's plane in radians, -π…π: positive counter-clockwise as seen in the picture, so that the top of the
    /// head moves to the picture's left.
    public let roll: Double
    /// Turn about the vertical axis in radians, -π/2…π/2: positive when the nose points to the picture's right.
    public let yaw: Double
    /// Turn about the horizontal axis in radians, -π…π: positive when the head nods down.
    public let pitch: Double

    /// Which face of the sequence it is, as that of AVFoundation's `AVMetadataFaceObject`: the same number for as long as the face is
    /// followed, and another one for every face that is found, be it again. Counts from 0 where a sequence begins.
    public let faceID: Int

    /// A face with the head's angles in radians, for tests and for faces that come from elsewhere.
    public init(
        boundingBox: Rectangle, confidence: Float, roll: Double, yaw: Double, pitch: Double, faceID: Int = 0
    ) {
        self.boundingBox = boundingBox
        self.confidence = confidence
        self.roll = roll
        self.yaw = yaw
        self.pitch = pitch
        self.faceID = faceID
    }
}
