import Foundation
import TestSupport

/// Short clips that tests make for themselves.
enum Clips {
    /// Makes a clip of `seconds` at 25 frames per second, 160x120, with a tone.
    static func make(_ path: String, seconds: Double = 0.4, video: [String] = [], filter: String = "null") throws {
        try Tool.ffmpeg.call(
            ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=\(seconds),\(filter)"]
                + ["-f", "lavfi", "-i", "sine=frequency=440:duration=\(seconds)"]
                + (video.isEmpty ? ["-c:v", "libx264", "-pix_fmt", "yuv420p"] : video) + ["-c:a", "aac", path])
    }
}
