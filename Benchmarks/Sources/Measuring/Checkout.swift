import Foundation

/// The files of the checkout that the benchmarks were built in.
public enum Checkout {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    /// The path of a file or folder in it.
    public static func path(_ name: String) -> String { root.appending(path: name).path }

    /// The folder of the models.
    public static var models: String { path("models") }

    /// The program as `make build` leaves it.
    public static var program: String { path(".build/product/release/matte") }

    /// The rendered sample clip.
    public static var sampleVideo: String { path("samples/anna.mp4") }

    /// Writes the first frame of `video` as an image to `path`.
    ///
    /// - Throws: `BenchmarkError` where `ffmpeg` can't be run or fails.
    public static func firstFrame(of video: String, to path: String) throws {
        try ExternalCommand("ffmpeg").run(["-v", "error", "-nostdin", "-y", "-i", video, "-frames:v", "1", path])
    }
}
