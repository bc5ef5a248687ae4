import Imaging

/// A picture that a request made of a frame, such as a mask.
public struct PixelBufferObservation: Sendable {
    /// One component a pixel, of the stored frame's size and orientation.
    public let pixelBuffer: PixelBuffer
    /// Presentation time stamp of the frame that it belongs to, in units of that frame's time base.
    public let pts: Int64?
    /// The people's own colours, for a mask of a network that gives them: upright, the whole frame, at the network's size.
    /// Without meaning where the mask is 0.
    public let foreground: RGBMap?

    /// A picture that belongs to the frame of time stamp `pts`.
    public init(pixelBuffer: PixelBuffer, pts: Int64?, foreground: RGBMap? = nil) {
        self.pixelBuffer = pixelBuffer
        self.pts = pts
        self.foreground = foreground
    }

    /// The picture as a frame to be written or shown: with the time and the orientation of `frame`, of which it was made, and in full
    /// range.
    public func videoFrame(like frame: VideoFrame) -> VideoFrame { frame.withGray(pixelBuffer) }
}
