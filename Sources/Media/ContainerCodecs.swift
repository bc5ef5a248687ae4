import CFFmpeg

/// Which codecs a container holds in such a way that readers know them again.
struct ContainerCodecs {
    let format: UnsafePointer<AVOutputFormat>
    /// The codecs of a container whose muxer writes any other one too, as data that nobody knows, or refuses it in words of its own; nil
    /// where the library tells.
    private let known: [AVCodecID]?

    /// `path` is the output's name, by which libavformat tells Blu-ray's transport streams; nil for none.
    init(_ format: UnsafePointer<AVOutputFormat>, path: String? = nil) {
        self.format = format
        switch format.name {
        case "mpegts" where path.map { OutputExtension.of($0).lowercased() } == "m2ts":
            known = Self.transportStream + Self.bluRay
        case "mpegts": known = Self.transportStream + Self.broadcast
        case "gif", "apng", "webp": known = [format.pointee.video_codec]
        case "mpeg", "vcd", "svcd", "dvd", "vob": known = Self.programStream
        default: known = nil
        }
    }

    func contains(_ codec: AVCodecID) -> Bool {
        if let known { return known.contains(codec) }
        // Its muxer leaves out how many bits a pixel has, without which nobody can read it.
        if codec == AV_CODEC_ID_QTRLE, format.name == "matroska" { return false }
        let answer = avformat_query_codec(format, codec, FF_COMPLIANCE_EXPERIMENTAL)
        // Below 0 libavformat can't tell: the muxer looks at the codec when it writes the header, if there is one.
        return answer < 0 ? !isOneStream : answer > 0
    }

    /// Whether packets of one stream follow each other without a container, so that any other would lie between them.
    var isOneStream: Bool { ContainerTiming(format) == .order }

    private static let transportStream = [
        AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H264, AV_CODEC_ID_HEVC,
        AV_CODEC_ID_VC1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3,
        AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS, AV_CODEC_ID_OPUS, AV_CODEC_ID_S302M,
    ]
    private static let broadcast = [
        AV_CODEC_ID_CAVS, AV_CODEC_ID_AVS2, AV_CODEC_ID_AVS3, AV_CODEC_ID_DIRAC, AV_CODEC_ID_DVB_SUBTITLE,
        AV_CODEC_ID_DVB_TELETEXT, AV_CODEC_ID_ARIB_CAPTION, AV_CODEC_ID_SMPTE_KLV, AV_CODEC_ID_TIMED_ID3,
        AV_CODEC_ID_BIN_DATA,
    ]
    private static let bluRay = [
        AV_CODEC_ID_TRUEHD, AV_CODEC_ID_PCM_BLURAY, AV_CODEC_ID_HDMV_PGS_SUBTITLE, AV_CODEC_ID_HDMV_TEXT_SUBTITLE,
    ]
    private static let programStream = [
        AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H264, AV_CODEC_ID_HEVC,
        AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_DTS, AV_CODEC_ID_PCM_S16BE,
        AV_CODEC_ID_PCM_DVD, AV_CODEC_ID_DVD_SUBTITLE,
    ]
}
