import Foundation

/// The files of the checkout that the suite was built in.
public enum Checkout {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    /// The folder of the models.
    public static var models: String { root.appending(path: "models").path }

    /// The program as `make build` leaves it.
    public static var program: String { root.appending(path: ".build/product/release/matte").path }

    /// The rendered sample clip with its exact alpha.
    public static var sampleClip: Clip {
        Clip(
            name: "anna", video: root.appending(path: "samples/anna.mp4").path,
            alpha: root.appending(path: "Tests/Fixtures/anna_alpha.mkv").path)
    }

    /// Writes the first frame of `video` as an image to `path`.
    ///
    /// - Throws: `QualityError` where `ffmpeg` can't be run or fails.
    public static func firstFrame(of video: String, to path: String) throws {
        try ExternalCommand("ffmpeg").run(["-v", "error", "-nostdin", "-y", "-i", video, "-frames:v", "1", path])
    }
}
