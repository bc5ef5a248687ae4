import Foundation
import Measuring

/// A video and the exact alpha of each of its frames.
public struct Clip: Hashable, Sendable {
    /// What the table calls it.
    public let name: String
    /// Path of the video.
    public let video: String
    /// Path of the alpha, a video of the same size whose luma is the alpha.
    public let alpha: String

    public init(name: String, video: String, alpha: String) {
        self.name = name
        self.video = video
        self.alpha = alpha
    }

    /// The clip that a command-line argument names: `VIDEO:ALPHA`, or a video with its alpha beside it.
    ///
    /// Beside `NAME.mp4` or `NAME_comp.mp4` that is `NAME_alpha.mkv`, or else `alpha.mkv`, in which case the folder gives the
    /// name.
    /// - Throws: `BenchmarkError` where the video or the alpha isn't there.
    public init(argument: String) throws {
        if FileManager.default.fileExists(atPath: argument) {
            try self.init(withAlphaBeside: argument)
            return
        }
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw BenchmarkError("can't read the clip '\(argument)': there is no such file; give VIDEO or VIDEO:ALPHA")
        }
        for path in parts where !FileManager.default.fileExists(atPath: path) {
            throw BenchmarkError("can't read the clip '\(argument)': there is no file '\(path)'")
        }
        self.init(name: Self.stem(of: parts[0]), video: parts[0], alpha: parts[1])
    }

    private init(withAlphaBeside video: String) throws {
        let folder = URL(filePath: video).deletingLastPathComponent()
        let stem = Self.stem(of: video)
        let own = folder.appending(path: "\(stem)_alpha.mkv").path
        let common = folder.appending(path: "alpha.mkv").path
        if FileManager.default.fileExists(atPath: own) {
            self.init(name: stem, video: video, alpha: own)
        } else if FileManager.default.fileExists(atPath: common) {
            self.init(name: folder.lastPathComponent, video: video, alpha: common)
        } else {
            throw BenchmarkError(
                "can't find the alpha of '\(video)': neither '\(own)' nor '\(common)' is there; give VIDEO:ALPHA")
        }
    }

    private static func stem(of path: String) -> String {
        let stem = URL(filePath: path).deletingPathExtension().lastPathComponent
        return stem.hasSuffix("_comp") ? String(stem.dropLast("_comp".count)) : stem
    }
}
