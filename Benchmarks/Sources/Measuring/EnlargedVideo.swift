/// A video's picture at another size, and played several times in a row, as ordinary H.264.
///
/// For measuring time alone: it is encoded with loss, without sound, and cropped where the shape is another one.
public struct EnlargedVideo: Sendable {
    /// Path of the video.
    public let path: String

    /// Makes the video as `name` in `folder`, in which it stays.
    ///
    /// It is `video` `times` times over, of which the first `frameCount` frames are taken if that is given.
    /// - Throws: `BenchmarkError` where `ffmpeg` can't be run or fails.
    public init(
        of video: String, width: Int = 1280, height: Int = 720, times: Int, frameCount: Int? = nil,
        name: String, in folder: WorkingFolder
    ) throws {
        precondition(times > 0, "once at least")
        path = folder.path(name)
        let fill = "scale=\(width):\(height):force_original_aspect_ratio=increase,crop=\(width):\(height)"
        let limit = frameCount.map { ["-frames:v", String($0)] } ?? []
        try ExternalCommand("ffmpeg").run(
            [
                "-v", "error", "-nostdin", "-y", "-stream_loop", String(times - 1), "-i", video, "-map", "0:v:0", "-vf",
                fill, "-pix_fmt", "yuv420p",
            ] + limit + ["-c:v", "libx264", "-preset", "veryfast", "-crf", "18", path])
    }
}
