import CFFmpeg
import Imaging

/// The pixel formats that an encoder takes in a container, and what of them the caller asks for.
struct PixelFormatChoice {
    /// Those to choose from; empty where all are taken.
    let accepted: [AVPixelFormat]
    /// The one that was asked for by name.
    let requested: AVPixelFormat?
    /// Who refuses a format, for messages.
    let holder: String
    private let keepsAlpha: Bool
    private let file: String

    /// What libavformat's `yuv4mpegenc.c` writes; the range is told beside it, so the `yuvj` names aren't needed.
    private static let y4mFormats = [
        "yuv420p", "yuv422p", "yuv444p", "yuva444p", "yuv411p", "gray", "gray9le", "gray10le", "gray12le", "gray16le",
        "yuv420p9le", "yuv422p9le", "yuv444p9le", "yuv420p10le", "yuv422p10le", "yuv444p10le",
        "yuv420p12le", "yuv422p12le", "yuv444p12le", "yuv420p14le", "yuv422p14le", "yuv444p14le",
        "yuv420p16le", "yuv422p16le", "yuv444p16le",
    ]

    /// - Throws: `.usage` for a format that doesn't exist or isn't taken, and for alpha that can't be held.
    init(
        _ codec: UnsafePointer<AVCodec>, in format: UnsafePointer<AVOutputFormat>, settings: EncoderSettings,
        file: String
    ) throws(MediaError) {
        let isY4M = format.name == "yuv4mpegpipe"
        try self.init(
            Self.taken(by: codec, in: format), codec: codec.pointee.id,
            holder: isY4M ? "FFmpeg's Y4M" : "the encoder \(String(cString: codec.pointee.name))", settings: settings,
            file: file)
    }

    /// The choice among `taken` formats, all where that is empty; `holder` is who refuses others, for messages.
    ///
    /// - Throws: `.usage` for a format that doesn't exist or isn't taken, and for alpha that can't be held, or not premultiplied.
    init(
        _ taken: [AVPixelFormat], codec: AVCodecID, holder: String, settings: EncoderSettings, file: String
    ) throws(MediaError) {
        self.file = file
        self.holder = holder
        keepsAlpha = settings.keepsAlpha
        accepted = settings.pixelFormat == nil ? Self.suitable(taken, for: codec) : taken
        requested = settings.pixelFormat.map { av_get_pix_fmt($0) }
        if settings.alpha == .premultiplied { try refusePremultiplied(codec) }
        guard let requested, let name = settings.pixelFormat else {
            if keepsAlpha { try requireAlpha() }
            return
        }
        guard requested != AV_PIX_FMT_NONE else {
            throw refusal("there is no pixel format '\(name)'", advice: "'ffmpeg -pix_fmts' lists them")
        }
        if keepsAlpha, !requested.hasAlpha {
            throw refusal(
                "the pixel format '\(name)' holds no alpha", advice: "choose another, such as yuva420p or rgba")
        }
        let isTaken = accepted.isEmpty ? sws_isSupportedOutput(requested) > 0 : accepted.contains(requested)
        guard isTaken else {
            let advice =
                accepted.isEmpty ? "choose another" : "it takes \(accepted.map(\.name).joined(separator: ", "))"
            throw refusal("\(holder) does not take the pixel format '\(name)'", advice: advice)
        }
    }

    /// Whether a picture's alpha must come out.
    func keepsAlpha(of source: PixelFormat) -> Bool {
        guard requested == nil else { return false }
        return keepsAlpha || source.hasAlphaPlane
    }

    /// - Throws: `.usage` where no format that is taken has alpha.
    func requireAlpha() throws(MediaError) {
        guard !accepted.isEmpty, !accepted.contains(where: \.hasAlpha) else { return }
        throw refusal(
            "\(holder) can't hold alpha",
            advice: "choose --codec ffv1 with .mkv, prores_ks with .mov or libvpx-vp9 with .webm, or raw frames")
    }

    /// What is wrong with a format that was asked for and can't have the picture's odd size.
    func oddSizeRefusal(_ format: AVPixelFormat, width: Int, height: Int) -> MediaError {
        refusal(
            "\(holder) can't hold \(format.name) at the odd size \(width)x\(height)",
            advice: "choose one whose chroma has all samples, or leave --output-pix-fmt out")
    }

    private func refusePremultiplied(_ codec: AVCodecID) throws(MediaError) {
        guard keepsAlpha else {
            throw refusal("there is no alpha to multiply by", advice: "leave --alpha premultiplied out")
        }
        guard EncoderChoice.demandsStraightAlpha(codec) else { return }
        throw refusal(
            "\(String(cString: avcodec_get_name(codec))) defines straight alpha",
            advice: "leave --alpha premultiplied out, or name the output .mov, .mkv or .exr")
    }

    private func refusal(_ cause: String, advice: String) -> MediaError {
        MediaError(kind: .usage, file: file, operation: "encode", cause: cause, advice: advice)
    }

    /// Whether alpha can be held at all.
    static func holdsAlpha(_ codec: UnsafePointer<AVCodec>, in format: UnsafePointer<AVOutputFormat>) -> Bool {
        guard EncoderChoice.carriesAlpha(of: codec.pointee.id, in: format) else { return false }
        let taken = suitable(taken(by: codec, in: format), for: codec.pointee.id)
        return taken.isEmpty || taken.contains(where: \.hasAlpha)
    }

    private static func taken(
        by codec: UnsafePointer<AVCodec>, in format: UnsafePointer<AVOutputFormat>
    ) -> [AVPixelFormat] {
        format.name == "yuv4mpegpipe"
            ? y4mFormats.map { av_get_pix_fmt($0) } : HardwareEncoding.memoryFormats(of: codec, taken(by: codec))
    }

    /// What an encoder takes, in memory or in a device; empty for all.
    static func taken(by codec: UnsafePointer<AVCodec>) -> [AVPixelFormat] {
        guard let list = FFCodecPixelFormats(codec) else { return [] }
        return Array(
            sequence(state: list) { cursor in
                defer { cursor += 1 }
                return cursor.pointee == AV_PIX_FMT_NONE ? nil : cursor.pointee
            })
    }

    /// The formats of `taken` that come out as they should whoever reads them.
    private static func suitable(_ taken: [AVPixelFormat], for codec: AVCodecID) -> [AVPixelFormat] {
        switch codec {
        // Its YUV is BT.601 by definition, so libwebp itself is to make it.
        case AV_CODEC_ID_WEBP: taken.filter(\.isRGB)
        // Few programs know its YUV.
        case AV_CODEC_ID_TIFF: taken.filter { $0.isRGB || $0.isGray }
        // Programs pass its fourth byte over.
        case AV_CODEC_ID_BMP: taken.filter { !$0.hasAlpha && $0.bitDepth >= 8 }
        default: taken
        }
    }
}
