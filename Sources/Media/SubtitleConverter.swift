import CFFmpeg
import Imaging

/// Turns the packets of text subtitles into those of another codec, one for one and at the same times.
///
/// FFmpeg's decoders give every text as ASS has it, of which each encoder keeps what its codec can tell. Used by one thread at
/// a time.
final class SubtitleConverter {
    /// Codecs whose packets hold a text each and leave its time to the container.
    private static let sources = [
        AV_CODEC_ID_SUBRIP, AV_CODEC_ID_TEXT, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_ASS,
    ]
    /// What a stream may become, the first that its container holds: players know SubRip best.
    private static let targets = [AV_CODEC_ID_SUBRIP, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_MOV_TEXT]
    /// The most bytes of a packet that comes out, as many as FFmpeg's program takes.
    private static let largest = 1 << 20

    /// What comes out.
    let codec: AVCodecID
    private let decoder: UnsafeMutablePointer<AVCodecContext>
    private let encoder: UnsafeMutablePointer<AVCodecContext>
    private lazy var buffer = [UInt8](repeating: 0, count: Self.largest)

    /// Converters of a stream to each other codec that it can have; none where it is not of text.
    static func all(of stream: UnsafeMutablePointer<AVStream>) -> [SubtitleConverter] {
        let codec = stream.pointee.codecpar.pointee.codec_id
        guard sources.contains(codec) else { return [] }
        return targets.filter { $0 != codec }.compactMap { SubtitleConverter(stream, to: $0) }
    }

    /// nil where FFmpeg was built without one of the codecs, or where what the stream's header tells can't be meant.
    private init?(_ stream: UnsafeMutablePointer<AVStream>, to codec: AVCodecID) {
        let parameters = stream.pointee.codecpar!
        guard let decoding = avcodec_find_decoder(parameters.pointee.codec_id),
            let encoding = avcodec_find_encoder(codec),
            let decoder = avcodec_alloc_context3(decoding), let encoder = avcodec_alloc_context3(encoding)
        else { return nil }
        (self.codec, self.decoder, self.encoder) = (codec, decoder, encoder)
        decoder.pointee.pkt_timebase = stream.pointee.time_base
        guard avcodec_parameters_to_context(decoder, parameters) >= 0, avcodec_open2(decoder, decoding, nil) >= 0
        else { return nil }
        encoder.pointee.time_base = AVRational(num: 1, den: AV_TIME_BASE)
        guard copyHeader() >= 0, avcodec_open2(encoder, encoding, nil) >= 0 else { return nil }
    }

    deinit {
        var (decoder, encoder): (UnsafeMutablePointer<AVCodecContext>?, UnsafeMutablePointer<AVCodecContext>?) =
            (decoder, encoder)
        avcodec_free_context(&decoder)
        avcodec_free_context(&encoder)
    }

    /// Gives the encoder the styles that the texts are in.
    private func copyHeader() -> CInt {
        guard let header = decoder.pointee.subtitle_header else { return 0 }
        let size = Int(decoder.pointee.subtitle_header_size)
        // Encoders read it as a string.
        guard let copy = av_mallocz(size + 1) else { return AVError.outOfMemory.code }
        copy.copyMemory(from: header, byteCount: size)
        encoder.pointee.subtitle_header = copy.assumingMemoryBound(to: UInt8.self)
        encoder.pointee.subtitle_header_size = CInt(size)
        return 0
    }

    /// Tells a stream of the output what its packets will be.
    func describe(_ stream: UnsafeMutablePointer<AVStream>) throws(AVError) {
        try AVError.check(avcodec_parameters_from_context(stream.pointee.codecpar, encoder))
    }

    /// Writes signs that begin something else in WebVTT as it wants them, which FFmpeg's encoder leaves to others.
    private static func escape(_ subtitle: inout AVSubtitle) throws(AVError) {
        for index in 0..<Int(subtitle.num_rects) {
            guard let rectangle = subtitle.rects[index], let text = rectangle.pointee.ass else { continue }
            var escaped = String(cString: text)
            for (sign, name) in [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")] { escaped.replace(sign, with: name) }
            rectangle.pointee.ass = try AVError.allocated(av_strdup(escaped))
            av_free(text)
        }
    }

    /// The packet of the other codec, which has the same stream, times and length; nil where nothing is to be seen, as where MP4 has
    /// a packet for the end of a text.
    ///
    /// - Throws: `AVError` for what is not a text, such as one that is not UTF-8.
    func convert(_ packet: Packet) throws(AVError) -> Packet? {
        var subtitle = AVSubtitle()
        defer { avsubtitle_free(&subtitle) }
        var isThere: CInt = 0
        try AVError.check(avcodec_decode_subtitle2(decoder, &subtitle, &isThere, packet.pointer))
        guard isThere != 0, subtitle.num_rects > 0 else { return nil }
        if codec == AV_CODEC_ID_WEBVTT { try Self.escape(&subtitle) }
        let size = avcodec_encode_subtitle(encoder, &buffer, CInt(Self.largest), &subtitle)
        guard size >= 0 else { throw AVError(code: FFErrorInvalidData) }
        guard size > 0 else { return nil }
        let converted = try Packet()
        try AVError.check(av_new_packet(converted.pointer, size))
        converted.pointer.pointee.data.update(from: buffer, count: Int(size))
        converted.pointer.pointee.pts = packet.pointer.pointee.pts
        converted.pointer.pointee.dts = packet.pointer.pointee.dts
        converted.pointer.pointee.duration = packet.duration
        converted.pointer.pointee.time_base = packet.pointer.pointee.time_base
        converted.pointer.pointee.stream_index = packet.pointer.pointee.stream_index
        converted.pointer.pointee.flags = AV_PKT_FLAG_KEY
        return converted
    }
}
