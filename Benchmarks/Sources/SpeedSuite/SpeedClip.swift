import Foundation
import Measuring
import Media

/// A video to measure on.
public struct SpeedClip: Sendable {
    /// What figures and tables call it.
    public let name: String
    public let path: String
    public let width: Int
    public let height: Int
    public let frameCount: Int

    /// The sizes of the clips that are made where nobody names others.
    static let usualSizes = [(1280, 720), (1920, 1080)]
    /// As many frames as every clip should have.
    public static let usualFrameCount = 300

    /// The video at `path`, which goes by its name without the extension.
    ///
    /// - Throws: `MediaError` where it can't be read, `BenchmarkError` where it doesn't tell how many frames it has.
    public init(path: String) throws {
        let video = try MediaReader(path: path).video
        guard let frameCount = video.frameCount else {
            throw BenchmarkError("can't measure with '\(path)': it doesn't tell how many frames it has; name an MP4")
        }
        name = URL(filePath: path).deletingPathExtension().lastPathComponent
        self.path = path
        (width, height) = (video.width, video.height)
        self.frameCount = frameCount
    }

    /// The sample clip, enlarged and played several times in a row, at 720p and at 1080p.
    ///
    /// - Throws: `BenchmarkError` where `ffmpeg` can't be run or fails.
    public static func usual(in folder: WorkingFolder) throws -> [SpeedClip] {
        try usualSizes.map { width, height in
            let video = try EnlargedVideo(
                of: Checkout.sampleVideo, width: width, height: height, times: 4, frameCount: usualFrameCount,
                name: "anna-\(height)p.mp4", in: folder)
            return try SpeedClip(path: video.path)
        }
    }

    /// `1920x1080`, say.
    public var size: String { "\(width)x\(height)" }
}
