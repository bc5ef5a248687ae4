import CFFmpeg
import Imaging

/// An encoder of one video stream: pictures in, packets out; draining is part of it.
final class Encoder {
    let codec: UnsafePointer<AVCodec>
    let context: UnsafeMutablePointer<AVCodecContext>

    /// FFmpeg's name of the encoder.
    var name: String { String(cString: codec.pointee.name) }
    var timeBase: AVRational { context.pointee.time_base }
    /// Whether closed captions that pictures carry (CEA-708 as ATSC A/53 holds them) come out with them.
    var holdsCaptions: Bool { av_opt_find(context, Self.captionOption, nil, 0, AV_OPT_SEARCH_CHILDREN) != nil }
    /// Whether it codes fields of interlaced frames, and tells of them.
    var codesFields: Bool { Self.interlacing.contains(codec.pointee.id.rawValue) }
    /// Whether pictures come out as they go in.
    var isRaw: Bool { [AV_CODEC_ID_RAWVIDEO, AV_CODEC_ID_WRAPPED_AVFRAME].contains(codec.pointee.id) }
    /// What the encoder has said last about its own failure.
    var lastError: String? {
        LibraryLog.lastError(from: UInt(bitPattern: context), UInt(bitPattern: context.pointee.priv_data))
    }

    /// Whether a frame must last one unit of time, or a multiple: only then it holds the bit rate that was asked for.
    let countsFrames: Bool

    private let file: String
    /// nil where it needs no device.
    private var hardware: HardwareEncoding?
    /// The options that the caller has given.
    private let givenOptions: [String]

    private static let captionOption = "a53cc"

    /// Encoders that take each unit of time for a frame where they tell how many bits it may have.
    private static let rationing: Set<String> = [
        "mpeg4", "libxvid", "flv", "h263p", "msmpeg4", "msmpeg4v2", "wmv1", "wmv2", "mjpeg", "amv", "rv10", "rv20",
        "snow", "speedhq", "vc2",
    ]

    /// How warnings begin that tell of parameters of a library's own, as `x264-params` has them.
    private static let refusedParameters = [
        "Error parsing option", "Unknown option", "Invalid value for", "bad value for",
    ]

    /// Codecs that code fields. Encoders of others refuse to, or take it for something else, as PNG's do.
    private static let interlacing: Set<UInt32> = [
        AV_CODEC_ID_MPEG2VIDEO.rawValue, AV_CODEC_ID_MPEG4.rawValue, AV_CODEC_ID_H264.rawValue,
        AV_CODEC_ID_PRORES.rawValue, AV_CODEC_ID_DNXHD.rawValue, AV_CODEC_ID_DVVIDEO.rawValue,
        AV_CODEC_ID_HUFFYUV.rawValue, AV_CODEC_ID_FFVHUFF.rawValue,
    ]

    /// Sets the encoder's defaults and the caller's settings; an option that it hasn't or doesn't take is an error.
    ///
    /// `defaults` are nil for those of the encoder in a video.
    init(
        _ codec: UnsafePointer<AVCodec>, settings: EncoderSettings, defaults: EncoderChoice.Defaults? = nil,
        allowsReordering: Bool = true, file: String
    ) throws(MediaError) {
        LibraryLog.install()
        self.codec = codec
        self.file = file
        givenOptions = settings.options.map(\.key)
        let defaults = defaults ?? EncoderChoice.defaults(of: String(cString: codec.pointee.name))
        let isRationed = Self.isRateGiven(settings) || defaults.quality.isEmpty
        countsFrames = isRationed && Self.rationing.contains(String(cString: codec.pointee.name))
        guard let context = avcodec_alloc_context3(codec) else {
            throw MediaError(.outOfMemory, kind: .internal, file: file, operation: "encode")
        }
        self.context = context
        LibraryLog.forget(UInt(bitPattern: context), UInt(bitPattern: context.pointee.priv_data))
        // Several threads would hold raw frames back until each has one, and have nothing to do with them.
        context.pointee.thread_count = isRaw ? 1 : CInt(clamping: settings.threads)
        // Encoders of a draft standard or with an unofficial range are what the caller asked for by name.
        context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
        if !allowsReordering { context.pointee.max_b_frames = 0 }
        // libx265's is off by default.
        set(Self.captionOption, "1")
        for (key, value) in defaults.options + Self.quality(defaults, settings) { set(key, value) }
        if let preset = settings.preset { try setOrThrow("preset", preset) }
        if let crf = settings.crf {
            try setOrThrow("crf", Int64(exactly: crf).map { "\($0)" } ?? "\(crf)")
        }
        if let bitrate = settings.bitrate {
            try requireBitrate()
            try setOrThrow("b", "\(bitrate)")
        }
        for (key, value) in settings.options {
            try refuseSetByFrames(key)
            try setOrThrow(key, value)
        }
        hardware = try HardwareEncoding(codec, device: settings.hwaccelDevice, file: file)
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// The settings of the default quality that hold beside the caller's: all of them where the caller asks for none, and for one
    /// of its own keys those that belong to it, as VP9 takes a quality for constant only where the bit rate is 0.
    private static func quality(
        _ defaults: EncoderChoice.Defaults, _ settings: EncoderSettings
    ) -> [(key: String, value: String)] {
        let keys: Set = ["crf", "cq", "qp", "q", "global_quality", "qscale", "quality", "lossless"]
        var given = settings.options.map(\.key).filter { keys.contains($0) }
        if settings.crf != nil { given.append("crf") }
        if let key = defaults.quality.first(where: { given.contains($0.key) }) {
            return defaults.quality.filter { $0.key != key.key }
        }
        return given.isEmpty && !isRateGiven(settings) ? defaults.quality : []
    }

    private static func isRateGiven(_ settings: EncoderSettings) -> Bool {
        settings.bitrate != nil || settings.options.contains { $0.key == "b" }
    }

    @discardableResult
    private func set(_ key: String, _ value: String) -> CInt {
        av_opt_set(context, key, value, AV_OPT_SEARCH_CHILDREN)
    }

    private func setOrThrow(_ key: String, _ value: String) throws(MediaError) {
        if key == "preset", let presets = EncoderChoice.presets[name], !presets.contains(value) {
            throw MediaError(
                kind: .usage, file: file, operation: "encode", cause: "the encoder \(name) has no preset '\(value)'",
                advice: "it has \(presets.joined(separator: ", "))")
        }
        let rc = set(key, value)
        guard rc < 0 else { return }
        let cause =
            rc == FFErrorOptionNotFound
            ? "the encoder \(name) has no option '\(key)'" : "the encoder \(name) does not take '\(value)' for '\(key)'"
        let quality = EncoderChoice.defaults(of: name).quality.first { ["cq", "global_quality"].contains($0.key) }
        if key == "crf", codec.runsOnHardware, let quality {
            throw MediaError(
                kind: .usage, file: file, operation: "encode", cause: cause,
                advice: "its constant quality is --encoder-option \(quality.key)=\(quality.value)")
        }
        throw MediaError(
            kind: .usage, file: file, operation: "encode", cause: cause,
            advice: "'ffmpeg -h encoder=\(name)' lists its options")
    }

    /// Options of libavcodec's that the frames set whatever is said of them, and what to do instead.
    private static let setByFrames = [
        "pixel_format": "choose it with --output-pix-fmt", "video_size": "scale with ffmpeg afterwards",
        "aspect": "tell another with ffmpeg's -aspect afterwards",
        "colorspace": "--colorspace tells that of an input that does not",
        "color_range": "--color-range tells that of an input that does not", "color_primaries": "leave it out",
        "color_trc": "leave it out", "chroma_sample_location": "leave it out", "field_order": "leave it out",
        "time_base": "leave it out",
    ]

    private func refuseSetByFrames(_ key: String) throws(MediaError) {
        guard let advice = Self.setByFrames[key] else { return }
        throw MediaError(
            kind: .usage, file: file, operation: "encode", cause: "the option '\(key)' follows from the frames",
            advice: advice)
    }

    private func requireBitrate() throws(MediaError) {
        guard !EncoderChoice.ignoresBitrate(codec.pointee.id) else {
            throw MediaError(
                kind: .usage, file: file, operation: "encode", cause: "the encoder \(name) has no bit rate",
                advice: "leave --bitrate out; 'ffmpeg -h encoder=\(name)' lists what its quality follows from")
        }
        guard !EncoderChoice.isLossy(codec.pointee.id) else { return }
        throw MediaError(
            kind: .usage, file: file, operation: "encode",
            cause: "the encoder \(name) loses nothing, so it has no bit rate",
            advice: "leave --bitrate out, or choose another --codec")
    }

    /// Adds parameters of x264's or x265's own to the option `key`; those that the caller has given stay as they are.
    func addParameters(_ parameters: [String], to key: String) {
        var text: UnsafeMutablePointer<UInt8>?
        av_opt_get(context, key, AV_OPT_SEARCH_CHILDREN, &text)
        defer { av_free(text) }
        let given = text.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        set(key, (parameters + (given.map { [$0] } ?? [])).joined(separator: ":"))
    }

    /// Opens the encoder, when everything about the pictures is known.
    ///
    /// - Throws: `.usage` where the encoder refuses them, `.unavailable` where its hardware or driver is not there.
    func open(
        _ format: EncoderFormat, timeBase: AVRational, frameRate: AVRational, isInterlaced: Bool, isTopFieldFirst: Bool,
        hasGlobalHeader: Bool
    ) throws(MediaError) {
        if format.pixelFormat.hasAlpha {
            for (key, value) in EncoderChoice.alphaOptions(of: name) where !givenOptions.contains(key) {
                set(key, value)
            }
        }
        context.pointee.width = CInt(format.width)
        context.pointee.height = CInt(format.height)
        context.pointee.pix_fmt = format.pixelFormat
        context.pointee.time_base = timeBase
        context.pointee.framerate = frameRate
        context.pointee.sample_aspect_ratio = format.sampleAspectRatio.av
        let color = format.color
        context.pointee.colorspace = color.avMatrix
        context.pointee.color_range = color.avRange
        context.pointee.color_primaries = color.avPrimaries
        context.pointee.color_trc = color.avTransfer
        context.pointee.chroma_sample_location = color.avChromaLocation
        // Fields of whole chroma rows are the least that codecs interlace; raw frames only tell what they are.
        let fieldRows = isRaw ? 1 : 2 << format.pixelFormat.chromaShift.vertical
        var fieldOrder = AV_FIELD_PROGRESSIVE
        if isInterlaced, format.height % fieldRows == 0 {
            fieldOrder = isTopFieldFirst ? AV_FIELD_TT : AV_FIELD_BB
            if codesFields {
                context.pointee.flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME
            }
            // libavcodec tells x264 with the first frame only, when the headers that say the contrary are made.
            if !isTopFieldFirst, name == "libx264" { addParameters(["bff=1"], to: "x264-params") }
        }
        // Fields of VC-2 crash libavcodec's encoder or come out such that its own decoder refuses them; the container tells of them.
        context.pointee.field_order = codec.pointee.id == AV_CODEC_ID_DIRAC ? AV_FIELD_PROGRESSIVE : fieldOrder
        if hasGlobalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        let logPosition = LibraryLog.position
        do throws(AVError) {
            try hardware?.attach(to: context)
            try AVError.check(avcodec_open2(context, codec, nil))
            context.pointee.field_order = fieldOrder
        } catch {
            let picture = "\(format.width)x\(format.height) \(format.pixelFormat.name)"
            if codec.runsOnHardware, error != .invalidArgument {
                throw MediaError(
                    kind: .unavailable, file: file, operation: "encode",
                    cause: "the encoder \(name) can't be opened for \(picture): \(lastError ?? error.description)",
                    advice: "install its driver, or choose an encoder that runs on the CPU")
            }
            // An encoder that works frame by frame in several threads has an object for each, of which the first tells the cause.
            let cause = LibraryLog.firstError(since: logPosition) ?? error.description
            throw MediaError(
                error, kind: .usage, file: file, operation: "encode",
                detail: "the encoder \(name) refuses \(picture): \(cause)",
                advice: "choose another codec or other options")
        }
        // Parameters that a library does not know are passed over.
        if let refusal = LibraryLog.firstWarning(
            from: UInt(bitPattern: context), beginning: Self.refusedParameters, since: logPosition)
        {
            throw MediaError(
                kind: .usage, file: file, operation: "encode",
                cause: "the encoder \(name) does not take its parameters: \(refusal)",
                advice: "correct the --encoder-option that has them")
        }
    }

    /// Hands a picture over, nil for the end; every packet must have been taken out before.
    func send(_ frame: FrameReference?) throws(AVError) {
        var frame = frame
        if let hardware, let picture = frame { frame = try hardware.upload(picture) }
        let rc = avcodec_send_frame(context, frame?.pointer)
        guard rc != FFErrorEndOfFile else { return }
        try AVError.check(rc)
    }

    /// The next packet; nil where the encoder wants a picture first or has reached its end.
    func receive() throws(AVError) -> Packet? {
        let packet = try Packet()
        let rc = avcodec_receive_packet(context, packet.pointer)
        if rc == FFErrorAgain || rc == FFErrorEndOfFile { return nil }
        try AVError.check(rc)
        mendDecodingTime(packet)
        return packet
    }

    /// x265 makes times of decoding out of memory that it has not set, where there are fewer pictures than it would reorder. Those
    /// are decoded in the order in which they are shown.
    private func mendDecodingTime(_ packet: Packet) {
        guard let pts = packet.pts, let dts = packet.dts else { return }
        let (delay, isFar) = pts.subtractingReportingOverflow(dts)
        if isFar || !TimeBounds.holdsDuration(delay, timeBase) { packet.pointer.pointee.dts = pts }
    }
}
