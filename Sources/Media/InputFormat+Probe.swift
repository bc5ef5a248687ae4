import CFFmpeg

extension InputFormat {
    /// The demuxer to take for the bytes of `path`: the one that was asked for or the one that FFmpeg finds.
    ///
    /// - Throws: `.badData` where it finds none, `.io` where reading fails.
    func probedDemuxer(_ io: DescriptorIO, path: String) throws(MediaError) -> UnsafePointer<AVInputFormat>? {
        if let demuxer { return demuxer }
        // FFmpeg looks at 2048 bytes at least, which may be more than a header and a small frame.
        if !io.isSeekable, io.begins(with: Array("YUV4MPEG2".utf8)) { return av_find_input_format("yuv4mpegpipe") }
        var demuxer: UnsafePointer<AVInputFormat>?
        av_probe_input_buffer2(io.context, &demuxer, path, nil, 0, 0)
        if let named = demuxer, named.pointee.flags & AVFMT_NOFILE != 0 {
            // Told by the name alone (image2), and would open by itself what it takes the name for.
            demuxer = nil
            let score = av_probe_input_buffer2(io.context, &demuxer, nil, nil, 0, 0)
            // Not every image says what it is; a name tells as much as bytes that are not sure.
            if score <= AVPROBE_SCORE_EXTENSION, let image = Self.imageDemuxer(named: path) { return image }
            guard demuxer != nil else { throw InputErrors(path: path).notVideo(AVError(code: score), io: io) }
        }
        guard demuxer?.isRawVideo ?? false else { return demuxer }
        throw MediaError(
            kind: .badData, file: path, operation: "read", cause: "raw frames don't tell their pixel format and size",
            advice: "pass --format rawvideo with --pix-fmt and --size")
    }

    /// The demuxer of single images that have the ending of `path`.
    private static func imageDemuxer(named path: String) -> UnsafePointer<AVInputFormat>? {
        guard let sequence = av_guess_format("image2", nil, nil) else { return nil }
        let codec = av_guess_codec(sequence, nil, path, nil, AVMEDIA_TYPE_VIDEO)
        let name = codec == AV_CODEC_ID_MJPEG ? "jpeg" : String(cString: avcodec_get_name(codec))
        return av_find_input_format(name + "_pipe")
    }
}
