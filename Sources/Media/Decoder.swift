import CFFmpeg

/// A decoder of one video stream: packets in, pictures out; draining is part of it.
final class Decoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    /// nil where it decodes on the CPU.
    private let device: DecodingDevice?
    private let toldColor: ToldColor
    /// Whether what is told of the matrix holds whatever the decoder says.
    private let hasMatrix: Bool
    private var isDraining = false
    private var transferFailure: AVError?
    /// Where the log stood when the last packet was handed over.
    private var logPosition = LibraryLog.position
    /// FFmpeg's name of the decoder.
    let name: String
    /// What the decoder said about its first failure.
    private(set) var firstError: String?

    /// The words in which the decoder of JPEG tells that the data end or break off within a picture, which its frames don't tell.
    private static let damageOfJPEG = ["overread ", "error y=", "bitstream "]

    /// What came of asking for a picture.
    enum Outcome {
        case frame(FrameReference)
        case needsPacket
        case end
    }

    /// `threads` 0 leaves the number to FFmpeg; `isLive` keeps it from holding pictures back, and `isStrict` has it tell all damage.
    ///
    /// - Throws: `.badData` where the stream can't be decoded, `.usage` for a decoder or an acceleration that doesn't exist or
    ///   doesn't fit, `.unavailable` where the hardware or its driver is not there.
    init(
        stream: UnsafeMutablePointer<AVStream>, frameRate: AVRational, threads: Int, isLive: Bool,
        isStrict: Bool = false,
        hardware: HardwareDecoding, limits: InputLimits, file: String
    ) throws(MediaError) {
        LibraryLog.install()
        let choice = try hardware.choice(
            for: stream.pointee.codecpar.pointee.codec_id, named: StreamDescription(stream).codecName, file: file)
        device = choice.configuration.map { DecodingDevice($0) }
        let hardwareDevice = try choice.configuration.map { (configuration) throws(MediaError) in
            try HardwareDevice(
                configuration.device_type, device: hardware.device, file: file, operation: "decode",
                advice: "install its driver or name another --hwaccel-device, or leave --hwaccel out")
        }
        guard let context = avcodec_alloc_context3(choice.decoder) else {
            throw MediaError(.outOfMemory, kind: .internal, file: file, operation: "decode")
        }
        self.context = context
        name = String(cString: choice.decoder.pointee.name)
        toldColor = ToldColor(stream.pointee.codecpar.pointee)
        hasMatrix = Self.hasMatrix(stream.pointee.codecpar.pointee)
        LibraryLog.forget(
            UInt(bitPattern: context), UInt(bitPattern: context.pointee.priv_data),
            device.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0)
        do throws(AVError) {
            // Some decoders lose what their threads say of damage.
            context.pointee.thread_count = isStrict ? 1 : CInt(clamping: threads)
            // Threads that take a frame each have that many frames on their way.
            if isLive { context.pointee.thread_type = FF_THREAD_SLICE }
            // What speaks in its threads are copies, which know it by this.
            context.pointee.opaque = UnsafeMutableRawPointer(context)
            if isLive, !Self.misorders(choice.decoder.pointee.id) { context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY }
            // What a video crops at the left is cropped to the pixel.
            context.pointee.flags |= AV_CODEC_FLAG_UNALIGNED
            context.pointee.max_pixels = limits.decodedPixelCount
            context.pointee.pkt_timebase = stream.pointee.time_base
            context.pointee.framerate = frameRate
            try AVError.check(avcodec_parameters_to_context(context, stream.pointee.codecpar))
            if let hardwareDevice { try device?.attach(to: context, hardwareDevice) }
            try AVError.check(avcodec_open2(context, choice.decoder, nil))
        } catch {
            guard hardware.decoder != nil || device != nil, error != .outOfMemory else {
                throw MediaError(error, kind: .badData, file: file, operation: "decode")
            }
            throw MediaError(
                kind: .unavailable, file: file, operation: "decode",
                cause: "the decoder \(name) can't be opened: \(Self.lastError(context) ?? error.description)",
                advice: "install its driver, or leave --hwaccel and --decoder out")
        }
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// Why the device can't go on with this video; nil where it can, or where there is none.
    func hardwareFailure(file: String) -> MediaError? {
        guard let device else { return nil }
        let advice = "choose another --hwaccel, or leave it out"
        if device.isRefused {
            return MediaError(
                kind: .unavailable, file: file, operation: "decode",
                cause: "\(device.name) can't decode this video's profile or size here", advice: advice)
        }
        return transferFailure.map { failure in
            MediaError(
                kind: .unavailable, file: file, operation: "decode",
                cause: "a frame can't be brought from \(device.name) to memory: \(failure)", advice: advice)
        }
    }

    /// How many pictures were told to be damaged so far, including such as are still to come out.
    var damagedCount: Int { LibraryLog.damagedCount(of: Self.speaker(context)) }

    /// Hands a packet over, nil for the end; every picture must have been taken out before.
    func send(_ packet: Packet?) throws(AVError) {
        if packet == nil {
            guard !isDraining else { return }
            isDraining = true
        }
        logPosition = LibraryLog.position
        let rc = avcodec_send_packet(context, packet?.pointer)
        guard rc != FFErrorEndOfFile else { return }
        try check(rc)
    }

    func receive() throws(AVError) -> Outcome {
        let frame = try FrameReference()
        let rc = avcodec_receive_frame(context, frame.pointer)
        if rc == FFErrorAgain { return .needsPacket }
        if rc == FFErrorEndOfFile { return .end }
        try check(rc)
        if context.pointee.codec_id == AV_CODEC_ID_MJPEG,
            LibraryLog.hasError(
                from: Self.speaker(context), containing: Self.damageOfJPEG, since: logPosition)
        {
            frame.pointer.pointee.decode_error_flags |= FF_DECODE_ERROR_INVALID_BITSTREAM
        }
        toldColor.complete(&frame.pointer.pointee, hasMatrix: hasMatrix)
        do {
            return .frame(try frame.inMemory())
        } catch {
            transferFailure = error
            throw error
        }
    }

    /// Whether FFmpeg's decoder, asked for a low delay, gives frames as they are decoded where they refer to later ones.
    private static func misorders(_ codec: AVCodecID) -> Bool {
        [
            AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H263, AV_CODEC_ID_H263P,
            AV_CODEC_ID_VC1, AV_CODEC_ID_WMV3, AV_CODEC_ID_RV30, AV_CODEC_ID_RV40, AV_CODEC_ID_CAVS,
        ].contains(codec)
    }

    /// FFmpeg's decoder of VP8 says BT.601 of every video, since the bitstream knows no other, but its container may.
    private static func hasMatrix(_ parameters: AVCodecParameters) -> Bool {
        parameters.codec_id == AV_CODEC_ID_VP8 && parameters.color_space != AVCOL_SPC_UNSPECIFIED
    }

    private func check(_ code: CInt) throws(AVError) {
        if code < 0, firstError == nil { firstError = Self.lastError(context) }
        try AVError.check(code)
    }

    /// By what the log knows the decoder and its threads.
    private static func speaker(_ context: UnsafeMutablePointer<AVCodecContext>) -> UInt {
        UInt(bitPattern: context.pointee.opaque)
    }

    private static func lastError(_ context: UnsafeMutablePointer<AVCodecContext>) -> String? {
        LibraryLog.lastError(from: speaker(context), UInt(bitPattern: context.pointee.priv_data))
    }

    /// Forgets everything, as is needed after a seek.
    func flush() {
        avcodec_flush_buffers(context)
        isDraining = false
    }
}
