import CFFmpeg
import Glibc

/// What the caller tells of an input that does not tell it itself: its container, and the layout of raw frames.
struct InputFormat {
    /// nil where the container is to be found by probing.
    let demuxer: UnsafePointer<AVInputFormat>?
    /// Options of the demuxer, by FFmpeg's names.
    private(set) var options: [(key: String, value: String)] = []

    /// - Throws: `.usage` for names and sizes that don't exist or can't be, and for what is missing or too much.
    init(_ options: MediaReader.Options, path: String) throws(MediaError) {
        demuxer = try Self.demuxer(options.format, path: path)
        guard demuxer?.isRawVideo ?? false else {
            try Self.refuseLayout(options, path: path)
            return
        }
        guard let pixelFormat = options.pixelFormat, let size = options.size else {
            let missing = [(options.pixelFormat, "pixel format", "--pix-fmt"), (options.size, "size", "--size")]
                .filter { $0.0 == nil }
            throw MediaError(
                kind: .usage, file: path, operation: "read",
                cause: "raw frames don't tell their \(missing.map(\.1).joined(separator: " and "))",
                advice: "pass \(missing.map(\.2).joined(separator: " and "))")
        }
        let format = try Self.pixelFormat(pixelFormat, path: path)
        let (width, height) = try Self.size(size, path: path)
        if let problem = RawFrameLayout.problem(format: format, width: width, height: height) {
            throw MediaError(kind: .usage, file: path, operation: "read", cause: problem)
        }
        self.options = [("pixel_format", format.name), ("video_size", "\(width)x\(height)")]
        if let rate = options.rate {
            let rate = try Self.rate(rate, path: path)
            self.options.append(("framerate", "\(rate.num)/\(rate.den)"))
        }
    }

    /// All that FFmpeg is told when it opens the input; to be freed by the caller.
    func dictionary(_ limits: InputLimits) -> OpaquePointer? {
        var dictionary: OpaquePointer?
        av_dict_set(&dictionary, "protocol_whitelist", limits.whitelist, 0)
        for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
        return dictionary
    }

    private static func demuxer(_ name: String?, path: String) throws(MediaError) -> UnsafePointer<AVInputFormat>? {
        guard let name else { return nil }
        guard let demuxer = av_find_input_format(name) else {
            throw MediaError(
                kind: .usage, file: path, operation: "read", cause: "there is no input format '\(name)'",
                advice: "'ffmpeg -demuxers' lists them")
        }
        guard demuxer.pointee.flags & AVFMT_NOFILE == 0 else {
            throw MediaError(
                kind: .usage, file: path, operation: "read", cause: "the format '\(name)' is not read from one file")
        }
        return demuxer
    }

    private static func refuseLayout(_ options: MediaReader.Options, path: String) throws(MediaError) {
        let given = [(options.pixelFormat, "--pix-fmt"), (options.size, "--size"), (options.rate, "--rate")]
        guard let first = given.first(where: { $0.0 != nil }) else { return }
        throw MediaError(
            kind: .usage, file: path, operation: "read", cause: "\(first.1) is for raw frames and cameras alone",
            advice: "pass --format rawvideo too, or leave it out")
    }

    private static func pixelFormat(_ name: String, path: String) throws(MediaError) -> AVPixelFormat {
        let format = av_get_pix_fmt(name)
        guard format != AV_PIX_FMT_NONE else {
            throw MediaError(
                kind: .usage, file: path, operation: "read", cause: "there is no pixel format '\(name)'",
                advice: "'ffmpeg -pix_fmts' lists them")
        }
        guard sws_isSupportedInput(format) > 0 else {
            throw MediaError(
                kind: .usage, file: path, operation: "read",
                cause: "frames in the pixel format '\(name)' can't be used",
                advice: "'ffmpeg -pix_fmts' marks with I those that can")
        }
        return format
    }

    static func size(_ text: String, path: String) throws(MediaError) -> (width: Int, height: Int) {
        var (width, height): (CInt, CInt) = (0, 0)
        guard av_parse_video_size(&width, &height, text) >= 0 else {
            throw MediaError(
                kind: .usage, file: path, operation: "read", cause: "'\(text)' is no size of a frame",
                advice: "give width and height, such as 1280x720, or a name of FFmpeg's, such as hd720")
        }
        return (Int(width), Int(height))
    }

    static func rate(_ text: String, path: String) throws(MediaError) -> AVRational {
        var rate = AVRational()
        guard av_parse_video_rate(&rate, text) >= 0 else {
            throw MediaError(
                kind: .usage, file: path, operation: "read", cause: "'\(text)' is no frame rate",
                advice: "give frames per second, such as 30 or 30000/1001, or a name of FFmpeg's, such as ntsc")
        }
        return rate
    }
}

extension UnsafePointer<AVInputFormat> {
    /// FFmpeg's name, or names with commas between them.
    var name: String { String(cString: pointee.name) }
    var isRawVideo: Bool { name == "rawvideo" }
    var isY4M: Bool { name == "yuv4mpegpipe" }
}
