import CFFmpeg
import Imaging

/// The pixel formats that an encoder takes in a container, and what of them the caller asks for.
struct PixelFormatChoice {
    /// Empty where all are taken.
    let accepted: [AVPixelFormat]
    /// The one that was asked for by name.
    let requested: AVPixelFormat?
    private let keepsAlpha: Bool
    /// Who refuses a format, for messages.
    private let holder: String
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
        self.file = file
        keepsAlpha = settings.keepsAlpha
        let isY4M = format.name == "yuv4mpegpipe"
        holder = isY4M ? "Y4M" : "the encoder \(String(cString: codec.pointee.name))"
        accepted = isY4M ? Self.y4mFormats.map { av_get_pix_fmt($0) } : Self.accepted(by: codec)
        requested = settings.pixelFormat.map { av_get_pix_fmt($0) }
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

    private func refusal(_ cause: String, advice: String) -> MediaError {
        MediaError(kind: .usage, file: file, operation: "encode", cause: cause, advice: advice)
    }

    private static func accepted(by codec: UnsafePointer<AVCodec>) -> [AVPixelFormat] {
        guard let list = FFCodecPixelFormats(codec) else { return [] }
        return Array(
            sequence(state: list) { cursor in
                defer { cursor += 1 }
                return cursor.pointee == AV_PIX_FMT_NONE ? nil : cursor.pointee
            })
    }
}
