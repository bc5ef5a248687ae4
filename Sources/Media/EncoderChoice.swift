import CFFmpeg

/// Which encoder writes into which container, and how it is set where the caller says nothing.
enum EncoderChoice {
    /// Containers that take H.264 by custom, whatever libavformat's own default is; by the muxer's name.
    private static let takingH264: Set<String> = [
        "mp4", "mov", "matroska", "avi", "mpegts", "flv", "f4v", "ipod", "ismv", "3gp", "3g2", "psp", "nut", "h264",
    ]

    /// What is usual for pictures with alpha where the container's own custom can't hold it; by the muxer's name.
    private static let holdingAlpha: [String: AVCodecID] = [
        "mov": AV_CODEC_ID_PRORES, "matroska": AV_CODEC_ID_FFV1, "nut": AV_CODEC_ID_FFV1, "avi": AV_CODEC_ID_FFV1,
    ]

    /// The encoders that are taken for a codec when it goes by its own name, the first that is there.
    private static let preferred: [UInt32: [String]] = [
        AV_CODEC_ID_H264.rawValue: ["libx264"],
        AV_CODEC_ID_HEVC.rawValue: ["libx265"],
        AV_CODEC_ID_VP8.rawValue: ["libvpx"],
        AV_CODEC_ID_VP9.rawValue: ["libvpx-vp9"],
        AV_CODEC_ID_AV1.rawValue: ["libsvtav1", "libaom-av1"],
        AV_CODEC_ID_PRORES.rawValue: ["prores_ks"],
        AV_CODEC_ID_WEBP.rawValue: ["libwebp_anim"],
    ]

    /// The presets of encoders that write to standard error themselves when they are given another.
    static let presets: [String: [String]] = {
        let names = [
            "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
        ]
        return ["libx264": names, "libx264rgb": names, "libx265": names]
    }()

    private static let aliases = ["h265": "hevc", "avc": "h264"]

    /// The encoder of that name or of the codec of that name; nil if there is none for video.
    static func named(_ name: String) -> UnsafePointer<AVCodec>? {
        if let encoder = avcodec_find_encoder_by_name(name), encoder.pointee.type == AVMEDIA_TYPE_VIDEO {
            return encoder
        }
        guard let descriptor = avcodec_descriptor_get_by_name(aliases[name] ?? name),
            descriptor.pointee.type == AVMEDIA_TYPE_VIDEO
        else { return nil }
        return encoder(of: descriptor.pointee.id)
    }

    /// What to take in the place of `name`, which names none.
    private static func advice(for name: String) -> String {
        let list = "'ffmpeg -encoders' lists them"
        let near = named("lib\(name)") == nil ? videoNames.nearest(to: name) : "lib\(name)"
        return near.map { "did you mean '\($0)'? \(list)" } ?? list
    }

    /// The names of the video encoders and of their codecs.
    private static var videoNames: [String] {
        var names: [String] = []
        var position: UnsafeMutableRawPointer?
        while let codec = av_codec_iterate(&position) {
            guard codec.pointee.type == AVMEDIA_TYPE_VIDEO, av_codec_is_encoder(codec) != 0 else { continue }
            names += [String(cString: avcodec_get_name(codec.pointee.id)), String(cString: codec.pointee.name)]
        }
        return names
    }

    /// The encoder that is usual in a container, for pictures with alpha one that holds it if there is any.
    static func usual(in format: UnsafePointer<AVOutputFormat>, keepsAlpha: Bool) -> UnsafePointer<AVCodec>? {
        if keepsAlpha, let codec = holdingAlpha[format.name] { return encoder(of: codec) }
        if takingH264.contains(String(cString: format.pointee.name)), let encoder = encoder(of: AV_CODEC_ID_H264) {
            return encoder
        }
        // WebM's own default is the older VP8 in builds without VP9 alone.
        return encoder(of: format.pointee.video_codec)
    }

    /// The encoder that is asked for, or the usual one of the container.
    ///
    /// - Throws: `.usage` where there is none, or the container can't hold what it makes.
    static func codec(
        _ settings: EncoderSettings, in format: UnsafePointer<AVOutputFormat>, path: String
    ) throws(MediaError) -> UnsafePointer<AVCodec> {
        let container = format.name
        guard let name = settings.codec else {
            guard let codec = usual(in: format, keepsAlpha: settings.keepsAlpha) else {
                throw MediaError(
                    kind: .usage, file: path, operation: "create",
                    cause: "this build of FFmpeg has no video encoder for \(container)",
                    advice: "choose another container or an encoder of 'ffmpeg -encoders'")
            }
            guard !settings.keepsAlpha || PixelFormatChoice.holdsAlpha(codec, in: format) else {
                throw MediaError(
                    kind: .usage, file: path, operation: "create",
                    cause: container == "gif" ? "gif holds no alpha but on and off" : "\(container) can't hold alpha",
                    advice: "name the output \(container == "gif" ? ".webp" : ".webm"), .mov or .mkv")
            }
            return codec
        }
        guard let codec = named(name) else {
            throw MediaError(
                kind: .usage, file: path, operation: "encode", cause: "there is no video encoder or codec '\(name)'",
                advice: advice(for: name))
        }
        guard ContainerCodecs(format, path: path).contains(codec.pointee.id) else {
            let codecName = String(cString: avcodec_get_name(codec.pointee.id))
            let holder = holder(of: codec.pointee.id)
            throw MediaError(
                kind: .usage, file: path, operation: "create", cause: "\(container) can't hold \(codecName) video",
                advice: holder.map { "choose a name that ends in \($0), or another codec" } ?? "choose another codec")
        }
        guard !settings.keepsAlpha || carriesAlpha(of: codec.pointee.id, in: format) else {
            throw MediaError(
                kind: .usage, file: path, operation: "create",
                cause: "\(container) can't hold the alpha of \(String(cString: avcodec_get_name(codec.pointee.id)))",
                advice: "name the output .webm or .mkv, or choose another codec")
        }
        return codec
    }

    /// The extension of a usual container that holds a codec.
    private static func holder(of codec: AVCodecID) -> String? {
        let tags = [avformat_get_riff_video_tags(), nil]
        return ["mkv", "mov", "nut", "avi"].first { name in
            guard let format = av_guess_format(nil, "o.\(name)", nil), ContainerCodecs(format).contains(codec) else {
                return false
            }
            // Matroska's muxer takes any for possible, and then refuses those without a tag in AVI.
            return avformat_query_codec(format, codec, FF_COMPLIANCE_NORMAL) == 1
                || name == "mkv" && av_codec_get_tag(tags, codec) != 0
        }.map { ".\($0)" }
    }

    /// Whether a container takes along what `codec` makes of alpha: that of VP8 and VP9 is a picture of its own beside each frame,
    /// which other muxers than Matroska's drop without a word.
    static func carriesAlpha(of codec: AVCodecID, in format: UnsafePointer<AVOutputFormat>) -> Bool {
        ![AV_CODEC_ID_VP8, AV_CODEC_ID_VP9].contains(codec) || ["matroska", "webm"].contains(format.name)
    }

    /// Whether pictures may lose something in a codec.
    static func isLossy(_ codec: AVCodecID) -> Bool {
        guard let descriptor = avcodec_descriptor_get(codec) else { return false }
        return descriptor.pointee.props & AV_CODEC_PROP_LOSSY != 0
    }

    /// Whether its encoders take whatever bits their quality needs; FFmpeg has no word for it.
    static func ignoresBitrate(_ codec: AVCodecID) -> Bool {
        let ignoring = [
            AV_CODEC_ID_PRORES, AV_CODEC_ID_JPEG2000, AV_CODEC_ID_JPEGXL, AV_CODEC_ID_WEBP, AV_CODEC_ID_CFHD,
            AV_CODEC_ID_DVVIDEO, AV_CODEC_ID_HAP, AV_CODEC_ID_CINEPAK, AV_CODEC_ID_MSVIDEO1, AV_CODEC_ID_ROQ,
            AV_CODEC_ID_RPZA, AV_CODEC_ID_SMC, AV_CODEC_ID_SVQ1, AV_CODEC_ID_AMV, AV_CODEC_ID_ASV1, AV_CODEC_ID_ASV2,
            AV_CODEC_ID_JPEGLS, AV_CODEC_ID_EXR, AV_CODEC_ID_CLJR, AV_CODEC_ID_A64_MULTI, AV_CODEC_ID_A64_MULTI5,
        ]
        return ignoring.contains(codec)
    }

    private static func encoder(of id: AVCodecID) -> UnsafePointer<AVCodec>? {
        for name in preferred[id.rawValue] ?? [] {
            if let encoder = avcodec_find_encoder_by_name(name) { return encoder }
        }
        guard let encoder = avcodec_find_encoder(id), encoder.pointee.type == AVMEDIA_TYPE_VIDEO else { return nil }
        return encoder
    }

    /// How an encoder is set before the caller's settings: good to look at, and fast enough to run beside a neural net.
    struct Defaults {
        var options: [(key: String, value: String)] = []
        /// Used unless the caller gives a quality or a bit rate.
        var quality: [(key: String, value: String)] = []
    }

    static func defaults(of encoder: String) -> Defaults {
        switch encoder {
        case "libx264", "libx264rgb":
            Defaults(options: [("preset", "veryfast")], quality: [("crf", "18")])
        case "libx265":
            Defaults(options: [("preset", "veryfast")], quality: [("crf", "20")])
        case "libvpx-vp9":
            Defaults(
                options: [("deadline", "good"), ("cpu-used", "5"), ("row-mt", "1"), ("tile-columns", "2")],
                quality: [("crf", "31"), ("b", "0")])
        case "libvpx":
            Defaults(options: [("deadline", "good"), ("cpu-used", "5")], quality: [("crf", "10"), ("b", "4000000")])
        case "libaom-av1":
            Defaults(options: [("cpu-used", "8"), ("row-mt", "1")], quality: [("crf", "30"), ("b", "0")])
        case "libsvtav1":
            Defaults(options: [("preset", "10")], quality: [("crf", "30")])
        case "prores_ks":
            // The vendor whose files editors take for ProRes.
            Defaults(options: [("vendor", "apl0")])
        case "libwebp", "libwebp_anim":
            Defaults(quality: [("quality", "90")])
        case "mjpeg":
            Defaults(quality: [("flags", "+qscale"), ("global_quality", "\(2 * FF_QP2LAMBDA)")])
        case "mpeg4", "libxvid", "mpeg1video", "mpeg2video", "flv", "h263", "h263p", "msmpeg4", "msmpeg4v2",
            "wmv1", "wmv2":
            Defaults(quality: [("flags", "+qscale"), ("global_quality", "\(3 * FF_QP2LAMBDA)")])
        // Constant quality, which costs a rate control of the driver's own; a bit rate would limit it.
        case "h264_nvenc": Defaults(quality: [("cq", "20"), ("rc", "vbr"), ("b", "0")])
        case "hevc_nvenc": Defaults(quality: [("cq", "22"), ("rc", "vbr"), ("b", "0")])
        case "av1_nvenc": Defaults(quality: [("cq", "28"), ("rc", "vbr"), ("b", "0")])
        case "h264_vaapi", "h264_qsv": Defaults(quality: [("global_quality", "20")])
        case "hevc_vaapi", "hevc_qsv": Defaults(quality: [("global_quality", "22")])
        case "av1_qsv": Defaults(quality: [("global_quality", "25")])
        case "libtheora":
            Defaults(quality: [("flags", "+qscale"), ("global_quality", "\(7 * FF_QP2LAMBDA)")])
        default:
            Defaults()
        }
    }

    /// What an encoder needs besides for pictures with alpha.
    static func alphaOptions(of encoder: String) -> [(key: String, value: String)] {
        switch encoder {
        // libvpx codes alpha as a stream of its own, which has no place for frames that are not shown.
        case "libvpx", "libvpx-vp9": [("auto-alt-ref", "0")]
        case "hap": [("format", "hap_alpha")]
        default: []
        }
    }

    /// Codecs whose definition says that alpha is straight.
    static func demandsStraightAlpha(_ codec: AVCodecID) -> Bool {
        let codecs = [
            AV_CODEC_ID_PNG, AV_CODEC_ID_APNG, AV_CODEC_ID_WEBP, AV_CODEC_ID_AV1, AV_CODEC_ID_JPEGXL, AV_CODEC_ID_TIFF,
            AV_CODEC_ID_VP8, AV_CODEC_ID_VP9,
        ]
        return codecs.contains(codec)
    }
}
