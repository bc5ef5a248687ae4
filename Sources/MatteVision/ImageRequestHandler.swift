import Imaging

/// Performs requests on one frame, as Vision's handler of the same name does on one image.
///
/// ```swift
/// let (mask, faces) = try ImageRequestHandler(frame).perform(segmentation, faceRectangles)
/// ```
/// The frame's orientation is honoured: requests see the upright picture. A value; the requests decide which thread it may be
/// used on.
public struct ImageRequestHandler: Sendable {
    /// The frame that the requests look at.
    public let frame: VideoFrame

    /// A frame in any of `PixelFormat.videoFormats`; another, as with a plane of alpha, is a caller's mistake, and traps.
    public init(_ frame: VideoFrame) {
        frame.requireVideoFormat()
        self.frame = frame
    }

    /// Performs the requests one after the other, and returns their results in the same order.
    ///
    /// - Throws: what the first request that fails throws; those after it are not performed.
    public func perform<each Request: ImageProcessingRequest>(
        _ request: repeat each Request
    ) throws(VisionError) -> (repeat (each Request).Result) {
        (repeat try (each request).perform(on: frame))
    }
}
