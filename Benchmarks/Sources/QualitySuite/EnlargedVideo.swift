/// A clip's picture enlarged to 1280x720 and played several times in a row, as ordinary H.264.
///
/// For measuring time alone: it is encoded with loss, and no alpha goes with it.
public struct EnlargedVideo: Sendable {
    /// Path of the video.
    public let path: String

    /// Makes the video in `folder`, in which it stays.
    ///
    /// - Throws: `QualityError` where `ffmpeg` can't be run or fails.
    public init(of clip: Clip, times: Int, in folder: WorkingFolder) throws {
        precondition(times > 0, "once at least")
        path = folder.path("\(clip.name)-enlarged.mp4")
        try ExternalCommand("ffmpeg").run([
            "-v", "error", "-nostdin", "-y", "-stream_loop", String(times - 1), "-i", clip.video,
            "-map", "0:v:0", "-vf", "scale=1280:720", "-c:v", "libx264", "-preset", "veryfast", "-crf", "18", path,
        ])
    }
}
