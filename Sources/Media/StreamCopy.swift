import CFFmpeg

/// A stream of the input that goes to the output: as it is, or, as subtitles of text may, in another codec.
struct StreamCopy {
    let source: UnsafeMutablePointer<AVStream>
    /// What gives the packets their other codec; nil where they go as they are.
    let converter: SubtitleConverter?
    /// Matroska keeps a cover picture as an attached file, not as a stream of packets.
    let isAttachedFile: Bool

    init(
        _ source: UnsafeMutablePointer<AVStream>, in format: UnsafePointer<AVOutputFormat>,
        converter: SubtitleConverter? = nil
    ) {
        self.source = source
        self.converter = converter
        isAttachedFile = source.isCoverPicture && String(cString: format.pointee.name) == "matroska"
    }

    /// Whether the container knows the codec at all.
    func isPossible(in codecs: ContainerCodecs) -> Bool {
        if codecs.isOneStream { return false }
        let parameters = source.pointee.codecpar.pointee
        if source.isCoverPicture {
            // A damaged file may tell of a picture that it has not.
            return source.pointee.attached_pic.size > 0 && Self.holdingCovers.contains(codecs.format.name)
        }
        if parameters.codec_type == AVMEDIA_TYPE_ATTACHMENT { return codecs.format.name == "matroska" }
        return codecs.contains(converter?.codec ?? parameters.codec_id)
    }

    /// The muxers that keep a cover picture apart from the video.
    private static let holdingCovers: Set<String> = ["matroska", "mp4", "ipod"]

    /// Whether packets follow the header.
    var hasPackets: Bool { !isAttachedFile && source.pointee.codecpar.pointee.codec_type != AVMEDIA_TYPE_ATTACHMENT }

    /// Adds the stream to an output: codec parameters, metadata, disposition, side data, rates. What the metadata count goes along
    /// only where the stream is copied as a whole.
    @discardableResult
    func add(
        to context: UnsafeMutablePointer<AVFormatContext>, isWhole: Bool = true
    ) throws(AVError) -> UnsafeMutablePointer<AVStream> {
        let target = try AVError.allocated(avformat_new_stream(context, nil))
        target.pointee.time_base = timeBase(in: context.pointee.oformat)
        if let converter {
            try converter.describe(target)
            target.pointee.disposition = source.pointee.disposition
            try FileMetadata.copy(from: source, toEncoded: target)
            return target
        }
        try AVError.check(avcodec_parameters_copy(target.pointee.codecpar, source.pointee.codecpar))
        target.pointee.codecpar.pointee.codec_tag = tag(in: context.pointee.oformat)
        target.pointee.avg_frame_rate = source.pointee.avg_frame_rate
        target.pointee.r_frame_rate = source.pointee.r_frame_rate
        target.pointee.sample_aspect_ratio = source.pointee.sample_aspect_ratio
        target.pointee.disposition = source.pointee.disposition
        try FileMetadata.copy(from: source, toCopied: target, isWhole: isWhole)
        if isAttachedFile {
            try attach(to: target)
        } else {
            FFStreamClearSideData(target)
            for index in 0..<FFStreamSideDataCount(source) {
                let piece = FFStreamSideData(source, index).pointee
                try AVError.check(FFStreamAddSideData(target, piece.type, piece.data, piece.size))
            }
        }
        return target
    }

    /// The cover picture's packet; nil for all other streams.
    func coverPacket() throws(AVError) -> Packet? {
        guard source.isCoverPicture, hasPackets else { return nil }
        let packet = try Packet()
        try AVError.check(av_packet_ref(packet.pointer, &source.pointee.attached_pic))
        packet.pointer.pointee.time_base = source.pointee.time_base
        packet.pointer.pointee.stream_index = source.pointee.index
        packet.pointer.pointee.pts = 0
        packet.pointer.pointee.dts = 0
        return packet
    }

    /// What the stream's times are told in, as far as the container lets a stream choose.
    private func timeBase(in format: UnsafePointer<AVOutputFormat>) -> AVRational {
        let timeBase = source.pointee.time_base
        let codec = converter?.codec ?? source.pointee.codecpar.pointee.codec_id
        guard codec == AV_CODEC_ID_MOV_TEXT, OutputContainer.isQuickTimeFamily(format) else { return timeBase }
        // libavformat writes the end of a text as soon as any stream's time is the greater number, whatever units it is in. Where they
        // are coarser than those of sound and pictures, it does so ahead of a text that follows at once.
        let fine = AVRational(num: 1, den: 90_000)
        return av_cmp_q(timeBase, fine) > 0 ? fine : timeBase
    }

    /// Keeps the container's own tag only where the output's container knows it, as FFmpeg's program does.
    private func tag(in format: UnsafePointer<AVOutputFormat>) -> UInt32 {
        let parameters = source.pointee.codecpar.pointee
        guard let tags = format.pointee.codec_tag else { return parameters.codec_tag }
        var usual: UInt32 = 0
        guard av_codec_get_tag2(tags, parameters.codec_id, &usual) != 0 else { return parameters.codec_tag }
        guard av_codec_get_id(tags, parameters.codec_tag) == parameters.codec_id else { return 0 }
        // libavformat knows tags in capitals, too, as MPEG-TS has "AC-3" where QuickTime has "ac-3"; players don't.
        let small: UInt32 = 0x2020_2020
        return parameters.codec_tag | small == usual | small ? usual : parameters.codec_tag
    }

    private func attach(to target: UnsafeMutablePointer<AVStream>) throws(AVError) {
        let picture = source.pointee.attached_pic
        let parameters = target.pointee.codecpar!
        let size = Int(picture.size)
        let padded = size + Int(AV_INPUT_BUFFER_PADDING_SIZE)
        av_freep(&parameters.pointee.extradata)
        let bytes = try AVError.allocated(av_mallocz(padded))
        bytes.copyMemory(from: picture.data, byteCount: size)
        parameters.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = CInt(size)
        parameters.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
        let type = Self.imageType(parameters.pointee.codec_id)
        av_dict_set(&target.pointee.metadata, "filename", "cover.\(type.extension)", 0)
        av_dict_set(&target.pointee.metadata, "mimetype", type.mediaType, 0)
        target.pointee.disposition = 0
    }

    /// What tells players the format of a picture that lies in the file as an attachment.
    private static func imageType(_ codec: AVCodecID) -> (extension: String, mediaType: String) {
        switch codec {
        case AV_CODEC_ID_PNG: ("png", "image/png")
        case AV_CODEC_ID_GIF: ("gif", "image/gif")
        case AV_CODEC_ID_TIFF: ("tif", "image/tiff")
        case AV_CODEC_ID_BMP: ("bmp", "image/bmp")
        case AV_CODEC_ID_WEBP: ("webp", "image/webp")
        default: ("jpg", "image/jpeg")
        }
    }
}
