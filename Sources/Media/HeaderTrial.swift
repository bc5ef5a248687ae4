import CFFmpeg

/// Writes a container's header to memory to see whether it takes a set of streams.
struct HeaderTrial {
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
