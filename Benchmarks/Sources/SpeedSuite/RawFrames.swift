import CLinux
import Foundation
import Measuring

/// Raw frames in a file, which are fed into a pipe to and fro, so that no cut is in what comes out.
struct RawFrames {
    let path: String
    let width: Int
    let height: Int
    let frameCount: Int

    /// Bytes of a frame in 8-bit 4:2:0.
    var bytesPerFrame: Int { width * height * 3 / 2 }

    /// What `matte` is told of them.
    var arguments: [String] {
        ["--format", "rawvideo", "--pix-fmt", "yuv420p", "--size", "\(width)x\(height)", "--rate", "30"]
    }

    /// Decodes the first `frameCount` frames of `video` into `folder`, at a size of even sides.
    ///
    /// - Throws: `BenchmarkError` where `ffmpeg` can't be run or fails, or where the video has no frames.
    init(of video: String, width: Int, height: Int, frameCount: Int, in folder: WorkingFolder) throws {
        path = folder.path("raw-\(height)p.yuv")
        (self.width, self.height) = (width, height)
        let fill = "scale=\(width):\(height):force_original_aspect_ratio=increase,crop=\(width):\(height)"
        try ExternalCommand("ffmpeg").run([
            "-v", "error", "-nostdin", "-y", "-i", video, "-map", "0:v:0", "-vf", fill, "-frames:v", String(frameCount),
            "-f", "rawvideo", "-pix_fmt", "yuv420p", path,
        ])
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        self.frameCount = size / (width * height * 3 / 2)
        guard self.frameCount > 0 else { throw BenchmarkError("can't measure with '\(video)': it has no frames") }
    }

    /// Which frame of the file is the `index`th to be fed: 0, 1, 2, 1, 0, 1, … of three.
    func place(_ index: Int) -> Int {
        guard frameCount > 1 else { return 0 }
        let period = 2 * (frameCount - 1)
        let place = index % period
        return place < frameCount ? place : period - place
    }

    /// Feeds the `index`th frame into the pipe `target`, page by page out of the system's cache, so that next to no time is
    /// spent here; false where nobody reads it any more.
    func feed(_ index: Int, from file: CInt, to target: CInt) -> Bool {
        var offset = off_t(place(index) * bytesPerFrame)
        var left = bytesPerFrame
        while left > 0 {
            let count = linux_splice(file, &offset, target, left)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            left -= count
        }
        return true
    }
}
