import CFFmpeg

/// Makes AVIF images: a still picture of AV1, with alpha as a second one in gray (AV1 Image File Format 1.0).
final class AVIFEncoder {
    /// The formats with alpha whose planes are taken apart.
    static let alphaFormats = opaque.map(\.0)

    /// What is left of each without it.
    private static let opaque = [
        (AV_PIX_FMT_YUVA420P, AV_PIX_FMT_YUV420P), (AV_PIX_FMT_YUVA422P, AV_PIX_FMT_YUV422P),
        (AV_PIX_FMT_YUVA444P, AV_PIX_FMT_YUV444P), (AV_PIX_FMT_YUVA420P10LE, AV_PIX_FMT_YUV420P10LE),
        (AV_PIX_FMT_YUVA422P10LE, AV_PIX_FMT_YUV422P10LE), (AV_PIX_FMT_YUVA444P10LE, AV_PIX_FMT_YUV444P10LE),
    ]

    /// One of a file's pictures: where it comes from, and how it is coded.
    private struct Part {
        let planes: [Int]
        let format: EncoderFormat
        let defaults: EncoderChoice.Defaults
    }

    private static let colorDefaults = defaults(crf: "20")
    /// Without loss: what is transparent and what is opaque stay so, as with libavif's own program.
    private static let alphaDefaults = defaults(crf: "0")

    private let codec: UnsafePointer<AVCodec>
    private let settings: EncoderSettings
    private let file: String
    private var parts: [Part] = []

    init(_ codec: UnsafePointer<AVCodec>, settings: EncoderSettings, file: String) throws(MediaError) {
        self.codec = codec
        self.settings = settings
        self.file = file
        // Options that don't fit are to show before the first picture.
        _ = try Encoder(codec, settings: settings, defaults: Self.colorDefaults, file: file)
    }

    private static func defaults(crf: String) -> EncoderChoice.Defaults {
        EncoderChoice.Defaults(
            options: [("still-picture", "1"), ("cpu-used", "6"), ("row-mt", "1")], quality: [("crf", crf), ("b", "0")])
    }

    func open(_ format: EncoderFormat) {
        var color = format
        // Readers take what is not told for sRGB's matrix, whatever the size.
        color.color.matrix = format.color.matrix.resolved(width: format.width, height: format.height)
        if format.pixelFormat.isRGB { color.color.matrix = .rgb }
        guard let (_, opaque) = Self.opaque.first(where: { $0.0 == format.pixelFormat }) else {
            parts = [Part(planes: [0, 1, 2], format: color, defaults: Self.colorDefaults)]
            return
        }
        color.pixelFormat = opaque
        var alpha = EncoderFormat(
            pixelFormat: format.pixelFormat.bitDepth > 8 ? AV_PIX_FMT_GRAY10LE : AV_PIX_FMT_GRAY8, width: format.width,
            height: format.height, color: .unspecified)
        alpha.color.range = .full
        parts = [
            Part(planes: [0, 1, 2], format: color, defaults: Self.colorDefaults),
            Part(planes: [3], format: alpha, defaults: Self.alphaDefaults),
        ]
    }

    /// The whole file for a picture of the format that was opened for.
    func file(of picture: FrameReference) throws(MediaError) -> [UInt8] {
        precondition(!parts.isEmpty, "a picture comes after open(_:)")
        var images: [(encoder: Encoder, packet: Packet)] = []
        for part in parts { images.append(try encode(picture, part)) }
        do {
            return try Self.mux(images)
        } catch {
            throw MediaError(error, kind: .internal, file: file, operation: "encode")
        }
    }

    private func encode(
        _ picture: FrameReference, _ part: Part
    ) throws(MediaError) -> (encoder: Encoder, packet: Packet) {
        // A still picture is all that its encoder makes.
        let encoder = try Encoder(codec, settings: settings, defaults: part.defaults, file: file)
        try encoder.openForImages(part.format, hasGlobalHeader: true)
        do {
            let shared = try picture.sharing(part.format, planes: part.planes)
            shared.pointer.pointee.pts = 0
            try encoder.send(shared)
            if let packet = try encoder.receive() { return (encoder, packet) }
            try encoder.send(nil)
            return (encoder, try AVError.allocated(try encoder.receive()))
        } catch {
            throw MediaError(error, kind: .internal, file: file, operation: "encode", detail: encoder.lastError)
        }
    }

    /// Puts the pictures, colour first, into a container in memory.
    private static func mux(_ images: [(encoder: Encoder, packet: Packet)]) throws(AVError) -> [UInt8] {
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        try AVError.check(avformat_alloc_output_context2(&allocated, nil, "avif", nil))
        let context = try AVError.allocated(allocated)
        defer { avformat_free_context(context) }
        try AVError.check(avio_open_dyn_buf(&context.pointee.pb))
        var bytes: UnsafeMutablePointer<UInt8>?
        defer { av_free(bytes) }
        do throws(AVError) {
            for image in images {
                let stream = try AVError.allocated(avformat_new_stream(context, nil))
                try AVError.check(avcodec_parameters_from_context(stream.pointee.codecpar, image.encoder.context))
                stream.pointee.time_base = image.encoder.timeBase
            }
            try AVError.check(avformat_write_header(context, nil))
            for (index, image) in images.enumerated() {
                image.packet.pointer.pointee.stream_index = CInt(index)
                try AVError.check(av_write_frame(context, image.packet.pointer))
            }
            try AVError.check(av_write_trailer(context))
        } catch {
            avio_close_dyn_buf(context.pointee.pb, &bytes)
            throw error
        }
        let count = avio_close_dyn_buf(context.pointee.pb, &bytes)
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
}

extension FrameReference {
    /// A frame of `format` whose planes are some of this one's, in the same memory.
    fileprivate func sharing(_ format: EncoderFormat, planes: [Int]) throws(AVError) -> FrameReference {
        let target = try FrameReference()
        try AVError.check(av_frame_ref(target.pointer, pointer))
        target.pointer.pointee.format = format.pixelFormat.rawValue
        target.pointer.pointee.colorspace = format.color.avMatrix
        target.pointer.pointee.color_range = format.color.avRange
        for index in 0..<4 {
            let source = index < planes.count ? planes[index] : nil
            target.setPlane(index, source.flatMap { data($0) }, bytesPerRow: source.map { bytesPerRow($0) } ?? 0)
        }
        return target
    }
}
