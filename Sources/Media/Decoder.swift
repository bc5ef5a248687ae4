import CFFmpeg

/// A decoder of one video stream: packets in, pictures out; draining is part of it.
final class Decoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private var isDraining = false

    /// What came of asking for a picture.
    enum Outcome {
        case frame(FrameReference)
        case needsPacket
        case end
    }

    /// `threads` 0 leaves the number to FFmpeg; `isLive` keeps it from holding pictures back.
    init(
        stream: UnsafeMutablePointer<AVStream>, frameRate: AVRational, threads: Int, isLive: Bool
    ) throws(AVError) {
        guard let codec = avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id) else {
            throw AVError(code: FFError(ENOSYS))
        }
        context = try AVError.allocated(avcodec_alloc_context3(codec))
        context.pointee.thread_count = CInt(clamping: threads)
        if isLive {
            // Threads that take a frame each would have that many frames on their way.
            context.pointee.thread_type = FF_THREAD_SLICE
            context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
        }
        context.pointee.pkt_timebase = stream.pointee.time_base
        context.pointee.framerate = frameRate
        try AVError.check(avcodec_parameters_to_context(context, stream.pointee.codecpar))
        try AVError.check(avcodec_open2(context, codec, nil))
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// Whether FFmpeg has a decoder for the stream.
    static func exists(for stream: UnsafeMutablePointer<AVStream>) -> Bool {
        avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id) != nil
    }

    /// Hands a packet over, nil for the end; every picture must have been taken out before.
    func send(_ packet: Packet?) throws(AVError) {
        if packet == nil {
            guard !isDraining else { return }
            isDraining = true
        }
        let rc = avcodec_send_packet(context, packet?.pointer)
        guard rc != FFErrorEndOfFile else { return }
        try AVError.check(rc)
    }

    func receive() throws(AVError) -> Outcome {
        let frame = try FrameReference()
        let rc = avcodec_receive_frame(context, frame.pointer)
        if rc == FFErrorAgain { return .needsPacket }
        if rc == FFErrorEndOfFile { return .end }
        try AVError.check(rc)
        return .frame(frame)
    }

    /// Forgets everything, as is needed after a seek.
    func flush() {
        avcodec_flush_buffers(context)
        isDraining = false
    }
}
