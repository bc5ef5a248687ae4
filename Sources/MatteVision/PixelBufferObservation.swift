import Imaging

/// A picture that a request made of a frame, such as a mask.
public struct PixelBufferObservation: Sendable {
    /// One component a pixel, of the stored frame's size and orientation.
    public let pixelBuffer: PixelBuffer
    /// Presentation time stamp of the frame that it belongs to, in units of that frame's time base.
    public let pts: Int64?

    public init(pixelBuffer: PixelBuffer, pts: Int64?) {
        self.pixelBuffer = pixelBuffer
        self.pts = pts
    }
}
