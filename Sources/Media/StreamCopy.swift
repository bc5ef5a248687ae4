import CFFmpeg

/// A stream of the input that goes to the output as it is.
struct StreamCopy {
    let source: UnsafeMutablePointer<AVStream>
    /// Matroska keeps a cover picture as an attached file, not as a stream of packets.
    let isAttachedFile: Bool

    init(_ source: UnsafeMutablePointer<AVStream>, in format: UnsafePointer<AVOutputFormat>) {
        self.source = source
        isAttachedFile = source.isCoverPicture && String(cString: format.pointee.name) == "matroska"
    }

    /// Whether the container knows the codec at all.
    func isPossible(in codecs: ContainerCodecs) -> Bool {
        if codecs.isOneStream { return false }
        let parameters = source.pointee.codecpar.pointee
        if source.isCoverPicture { return Self.holdingCovers.contains(codecs.format.name) }
        if parameters.codec_type == AVMEDIA_TYPE_ATTACHMENT { return codecs.format.name == "matroska" }
        return codecs.contains(parameters.codec_id)
    }

    /// The muxers that keep a cover picture apart from the video.
    private static let holdingCovers: Set<String> = ["matroska", "mp4", "ipod"]

    /// Whether packets follow the header.
    var hasPackets: Bool { !isAttachedFile && source.pointee.codecpar.pointee.codec_type != AVMEDIA_TYPE_ATTACHMENT }

    /// Adds the stream to an output: codec parameters, metadata, disposition, side data, rates.
    @discardableResult
    func add(to context: UnsafeMutablePointer<AVFormatContext>) throws(AVError) -> UnsafeMutablePointer<AVStream> {
        let target = try AVError.allocated(avformat_new_stream(context, nil))
        try AVError.check(avcodec_parameters_copy(target.pointee.codecpar, source.pointee.codecpar))
        target.pointee.codecpar.pointee.codec_tag = tag(in: context.pointee.oformat)
        target.pointee.time_base = source.pointee.time_base
        target.pointee.avg_frame_rate = source.pointee.avg_frame_rate
        target.pointee.r_frame_rate = source.pointee.r_frame_rate
        target.pointee.sample_aspect_ratio = source.pointee.sample_aspect_ratio
        target.pointee.disposition = source.pointee.disposition
        try AVError.check(av_dict_copy(&target.pointee.metadata, source.pointee.metadata, 0))
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
        guard source.isCoverPicture, hasPackets, source.pointee.attached_pic.size > 0 else { return nil }
        let packet = try Packet()
        try AVError.check(av_packet_ref(packet.pointer, &source.pointee.attached_pic))
        packet.pointer.pointee.time_base = source.pointee.time_base
        packet.pointer.pointee.stream_index = source.pointee.index
        packet.pointer.pointee.pts = 0
        packet.pointer.pointee.dts = 0
        return packet
    }

    /// Keeps the container's own tag only where the output's container knows it, as FFmpeg's program does.
    private func tag(in format: UnsafePointer<AVOutputFormat>) -> UInt32 {
        let parameters = source.pointee.codecpar.pointee
        guard let tags = format.pointee.codec_tag else { return parameters.codec_tag }
        var known: UInt32 = 0
        let isKnown = av_codec_get_id(tags, parameters.codec_tag) == parameters.codec_id
        return isKnown || av_codec_get_tag2(tags, parameters.codec_id, &known) == 0 ? parameters.codec_tag : 0
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

/// Which streams an output's container can hold.
struct StreamPlan {
    private(set) var copies: [StreamCopy] = []
    /// One sentence for each stream that must be left out.
    private(set) var warnings: [String] = []
    /// The sound that takes the place of the input's; nil where there is none or the container can't hold it.
    private(set) var sound: StreamCopy?

    /// Tries the container with one stream after the other beside the video that is to be encoded.
    ///
    /// libavformat's list of codecs is not the whole truth (some muxers take one audio stream only, say), so the header
    /// is written to memory for a trial. `path` is the output's; `sound` of another file takes the place of the input's.
    init(
        _ container: InputContainer, video: UnsafeMutablePointer<AVStream>, size: (width: Int, height: Int),
        codec: AVCodecID, format: UnsafePointer<AVOutputFormat>, path: String,
        sound: UnsafeMutablePointer<AVStream>? = nil
    ) {
        let codecs = ContainerCodecs(format, path: path)
        let trial = HeaderTrial(format: format, timeBase: video.pointee.time_base, size: size, codec: codec)
        if let sound {
            let copy = StreamCopy(sound, in: format)
            self.sound = copy.isPossible(in: codecs) && trial?.accepts([copy]) ?? true ? copy : nil
        }
        for stream in container.streams where stream != video && !Self.isMadeByMuxer(stream, format) {
            if sound != nil, stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO { continue }
            let copy = StreamCopy(stream, in: format)
            let name = String(cString: format.pointee.name)
            if !copy.isPossible(in: codecs) {
                warnings.append("\(StreamDescription(stream)) is left out, because \(Self.reason(stream, not: name))")
            } else if trial?.accepts(copies + [copy] + (self.sound.map { [$0] } ?? [])) ?? true {
                copies.append(copy)
            } else {
                warnings.append("\(StreamDescription(stream)) is left out, because \(name) does not take it as it is")
            }
        }
    }

    /// Tracks that the muxer makes anew: chapter titles out of the chapters, time code out of the metadata.
    private static func isMadeByMuxer(
        _ stream: UnsafeMutablePointer<AVStream>, _ format: UnsafePointer<AVOutputFormat>
    ) -> Bool {
        if stream.pointee.discard == AVDISCARD_ALL { return true }
        let timeCode: UInt32 = 0x6463_6D74  // "tmcd"
        return stream.pointee.codecpar.pointee.codec_tag == timeCode
            && OutputContainer.isQuickTimeFamily(format)
    }

    private static func reason(_ stream: UnsafeMutablePointer<AVStream>, not name: String) -> String {
        let parameters = stream.pointee.codecpar.pointee
        let isData = parameters.codec_type == AVMEDIA_TYPE_DATA
        if parameters.codec_id == AV_CODEC_ID_NONE, !isData { return "its codec is not known" }
        let others = ["matroska", "mp4", "mov", "mpegts", "webm", "nut"].filter { other in
            guard !isData, other != name, let format = av_guess_format(other, nil, nil) else { return false }
            return StreamCopy(stream, in: format).isPossible(in: ContainerCodecs(format))
        }
        let extensions = ["matroska": ".mkv", "mpegts": ".ts"]
        let hint = others.first.map { "\(extensions[$0] ?? "." + $0) can" } ?? "no container that FFmpeg writes can"
        return "\(name) can't hold it; \(hint)"
    }
}

/// Writes a container's header to memory to see whether it takes a set of streams.
private struct HeaderTrial {
    let format: UnsafePointer<AVOutputFormat>
    let timeBase: AVRational
    let size: (width: Int, height: Int)
    private var codec: AVCodecID

    /// nil where the container takes no video by itself, so that nothing can be tried.
    ///
    /// The video that is to be encoded has no header of its own yet, which some muxers insist on; another codec stands in.
    init?(
        format: UnsafePointer<AVOutputFormat>, timeBase: AVRational, size: (width: Int, height: Int), codec: AVCodecID
    ) {
        self.format = format
        self.timeBase = timeBase
        self.size = size
        self.codec = codec
        let standIns = [codec, AV_CODEC_ID_MPEG4, AV_CODEC_ID_VP8, AV_CODEC_ID_MJPEG, format.pointee.video_codec]
        for standIn in standIns {
            self.codec = standIn
            if accepts([]) { return }
        }
        return nil
    }

    func accepts(_ copies: [StreamCopy]) -> Bool {
        var context: UnsafeMutablePointer<AVFormatContext>?
        guard avformat_alloc_output_context2(&context, format, nil, nil) >= 0, let context else { return false }
        defer { avformat_free_context(context) }
        guard avio_open_dyn_buf(&context.pointee.pb) >= 0 else { return false }
        defer {
            var bytes: UnsafeMutablePointer<UInt8>?
            avio_close_dyn_buf(context.pointee.pb, &bytes)
            av_free(bytes)
            context.pointee.pb = nil
        }
        context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
        guard let stream = avformat_new_stream(context, nil) else { return false }
        let parameters = stream.pointee.codecpar!
        parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        parameters.pointee.codec_id = codec
        parameters.pointee.width = CInt(size.width)
        parameters.pointee.height = CInt(size.height)
        parameters.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        stream.pointee.time_base = timeBase
        for copy in copies {
            guard (try? copy.add(to: context)) != nil else { return false }
        }
        return avformat_write_header(context, nil) >= 0
    }
}
