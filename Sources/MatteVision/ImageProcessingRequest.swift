import Imaging

/// A question about a picture: what an `ImageRequestHandler` performs.
public protocol ImageProcessingRequest {
    /// The answer: one observation or several.
    associatedtype Result

    /// Answers the question for `frame`, in any of `PixelFormat.videoFormats`; another is a caller's mistake, and traps.
    ///
    /// - Throws: `VisionError` when a model or the runtime is missing or is not what the manifest says.
    func perform(on frame: VideoFrame) throws(VisionError) -> Result
}

extension VideoFrame {
    /// Traps where the networks could not read it.
    func requireVideoFormat() {
        precondition(PixelFormat.videoFormats.contains(pixelBuffer.format), "a frame has a format of videoFormats")
    }
}
