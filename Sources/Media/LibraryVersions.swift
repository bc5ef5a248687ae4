import CFFmpeg

/// The versions of the FFmpeg libraries that are loaded, as `major.minor.micro`.
public enum LibraryVersions {
    /// Such as `59.39.100`.
    public static var libavutil: String { text(avutil_version()) }
    /// Such as `61.19.101`.
    public static var libavcodec: String { text(avcodec_version()) }
    /// Such as `61.7.100`.
    public static var libavformat: String { text(avformat_version()) }
    /// Such as `8.3.100`.
    public static var libswscale: String { text(swscale_version()) }

    /// All of them in a line.
    public static var text: String {
        "libavutil \(libavutil), libavcodec \(libavcodec), libavformat \(libavformat), libswscale \(libswscale)"
    }

    private static func text(_ version: UInt32) -> String {
        "\(version >> 16).\(version >> 8 & 255).\(version & 255)"
    }
}
