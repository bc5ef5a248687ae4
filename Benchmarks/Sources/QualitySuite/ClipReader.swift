import Imaging
import MatteMetrics
import Measuring
import Media

/// Reads a clip's frames together with their truth; for one thread at a time.
public final class ClipReader {
    /// One frame and its exact alpha.
    public struct Sample {
        public let frame: VideoFrame
        /// The alpha as a picture of the frame's size.
        public let alpha: VideoFrame
    }

    /// The reader of the clip's video.
    public let video: MediaReader
    private let clip: Clip
    private let alpha: MediaReader

    /// Opens the first `limit` frames of `clip`, or all of them.
    ///
    /// - Throws: `MediaError` where the video or the alpha can't be read.
    public init(_ clip: Clip, limit: Int? = nil) throws {
        self.clip = clip
        // One thread each, so that no decoding goes on beside what is measured.
        let options = MediaReader.Options(threads: 1, frameLimit: limit)
        video = try MediaReader(path: clip.video, options: options)
        alpha = try MediaReader(path: clip.alpha, options: options)
    }

    /// The next frame; nil at the end.
    ///
    /// - Throws: `MediaError` where reading fails, `BenchmarkError` where the alpha doesn't belong to the video.
    public func next() throws -> Sample? {
        guard let frame = try video.nextFrame() else { return nil }
        guard let truth = try alpha.nextFrame() else {
            throw BenchmarkError("can't compare '\(clip.video)' with '\(clip.alpha)': the alpha has fewer frames")
        }
        let (a, b) = (frame.pixelBuffer, truth.pixelBuffer)
        guard a.width == b.width, a.height == b.height else {
            throw BenchmarkError(
                "can't compare '\(clip.video)' with '\(clip.alpha)': "
                    + "they are \(a.width)x\(a.height) and \(b.width)x\(b.height)")
        }
        return Sample(frame: frame, alpha: truth)
    }
}
