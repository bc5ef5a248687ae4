import Imaging

/// A question about a picture: what an `ImageRequestHandler` performs.
public protocol ImageProcessingRequest {
    /// The answer: one observation or several.
    associatedtype Result

    /// Answers the question for `frame`.
    ///
    /// - Throws: `VisionError` when a model or the runtime is missing or is not what the manifest says.
    func perform(on frame: VideoFrame) throws(VisionError) -> Result
}
