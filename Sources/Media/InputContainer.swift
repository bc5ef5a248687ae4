import CFFmpeg
import Glibc
import Imaging

/// A media file, a stream or a camera that is being read: FFmpeg's `AVFormatContext` with one input and nothing else behind it.
final class InputContainer {
    let path: String
    let file: LocalFile
    let context: UnsafeMutablePointer<AVFormatContext>
    let source: InputSource
    /// Why the input ends within a picture; nil as long as it doesn't.
    private(set) var truncation: MediaError?
    /// nil where frames are not raw.
    private var rawFrames: RawFrameLayout?

    /// Opens a camera in the mode that `wish` finds.
    init(camera device: VideoDevice, path: String, wish: CameraWish) throws(MediaError) {
        self.path = path
        let camera = try CaptureDevice(device, wish: wish)
        guard let file = LocalFile(path: device.path) else { throw camera.failure(.system(ENODEV)) }
        self.file = file
        source = .camera(camera)
        context = camera.context
    }

    /// Opens `path`, whatever characters it holds, as a file, a FIFO or a device; `-` is standard input.
    ///
    /// FFmpeg gets no protocol to open anything else with, so a playlist can't pull in other files.
    init(path: String, format: InputFormat) throws(MediaError) {
        LibraryLog.install()
        self.path = path
        file = try Self.inspect(path)
        let io: DescriptorIO
        do {
            io = try DescriptorIO(reading: path, isStream: file.isStream)
        } catch {
            throw MediaError(error, kind: .noInput, file: path, operation: "open")
        }
        source = .bytes(io)
        let demuxer = try Self.probe(io, path: path, format: format)
        guard let allocated = avformat_alloc_context() else {
            throw MediaError(.outOfMemory, kind: .internal, file: path, operation: "open")
        }
        allocated.pointee.pb = io.context
        // What raw frames are stands in the header; looking at more of them would only make them late.
        if let demuxer, demuxer.isRawVideo || demuxer.isY4M { allocated.pointee.fps_probe_size = 0 }
        let address = UInt(bitPattern: allocated)
        LibraryLog.forget(address)
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        var options: OpaquePointer?
        av_dict_set(&options, "protocol_whitelist", "none", 0)
        for (key, value) in format.options { av_dict_set(&options, key, value, 0) }
        let rc = avformat_open_input(&context, path, demuxer, &options)
        av_dict_free(&options)
        guard rc >= 0, let context else {
            throw Self.notVideo(path, AVError(code: rc), io: io, demuxer, detail: LibraryLog.lastError(from: address))
        }
        self.context = context
        context.pointee.io_open = { _, _, _, _, _ in FFError(EPERM) }
        if let demuxer, demuxer.isRawVideo || demuxer.isY4M {
            rawFrames = try Self.rawFrames(context, isY4M: demuxer.isY4M, path: path, position: io.position)
        }
        let found = avformat_find_stream_info(context, nil)
        guard found >= 0 else { throw Self.notVideo(path, AVError(code: found), io: io, demuxer, detail: nil) }
    }

    deinit {
        // A camera closes its own.
        guard case .bytes = source else { return }
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
    }

    /// FFmpeg's name of the container, or names with commas between them.
    var formatName: String { UnsafePointer(context.pointee.iformat).name }

    /// Whether pictures come from a camera, as it takes them.
    var isCamera: Bool {
        if case .camera = source { true } else { false }
    }

    /// Whether it is an image file, not a video.
    var isImage: Bool {
        if formatName.hasSuffix("_pipe") { return true }
        let brand = av_dict_get(context.pointee.metadata, "major_brand", nil, 0)
        return brand.map { String(cString: $0.pointee.value) == "avif" } ?? false
    }

    /// Whether it is nothing but uncompressed frames.
    var hasRawFrames: Bool { rawFrames != nil }

    /// The demuxer to take: the one that was asked for or the one that FFmpeg finds.
    private static func probe(
        _ io: DescriptorIO, path: String, format: InputFormat
    ) throws(MediaError) -> UnsafePointer<AVInputFormat>? {
        if let demuxer = format.demuxer { return demuxer }
        // FFmpeg looks at 2048 bytes at least, which may be more than a header and a small frame.
        if !io.isSeekable, io.begins(with: Array("YUV4MPEG2".utf8)) { return av_find_input_format("yuv4mpegpipe") }
        var demuxer: UnsafePointer<AVInputFormat>?
        av_probe_input_buffer2(io.context, &demuxer, path, nil, 0, 0)
        if let named = demuxer, named.pointee.flags & AVFMT_NOFILE != 0 {
            // Told by the name alone (image2), and would open by itself what it takes the name for.
            demuxer = nil
            let score = av_probe_input_buffer2(io.context, &demuxer, nil, nil, 0, 0)
            // Not every image says what it is; a name tells as much as bytes that are not sure.
            if score <= AVPROBE_SCORE_EXTENSION, let image = imageDemuxer(named: path) { return image }
            guard demuxer != nil else { throw notVideo(path, AVError(code: score), io: io, nil, detail: nil) }
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

    private static func rawFrames(
        _ context: UnsafeMutablePointer<AVFormatContext>, isY4M: Bool, path: String, position: Int64
    ) throws(MediaError) -> RawFrameLayout {
        let stream = context.pointee.streams[0]!
        let parameters = stream.pointee.codecpar.pointee
        let problem = RawFrameLayout.problem(
            format: AVPixelFormat(rawValue: parameters.format), width: Int(parameters.width),
            height: Int(parameters.height))
        if let problem {
            var context: UnsafeMutablePointer<AVFormatContext>? = context
            avformat_close_input(&context)
            throw MediaError(kind: .badData, file: path, operation: "read", cause: problem)
        }
        return RawFrameLayout(stream, isY4M: isY4M, position: position)
    }

    private static func inspect(_ path: String) throws(MediaError) -> LocalFile {
        guard let file = StandardStream.input(path) else {
            throw MediaError(kind: .noInput, file: path, operation: "open", cause: LocalFile.lastErrorText.lowercased())
        }
        if file.isDirectory {
            throw MediaError(
                kind: .noInput, file: path, operation: "open", cause: "it is a folder", advice: "name a video file")
        }
        guard StandardStream.inputDescriptor(of: path) != nil || access(path, R_OK) == 0 else {
            throw MediaError(kind: .noInput, file: path, operation: "open", cause: LocalFile.lastErrorText.lowercased())
        }
        if file.isRegular && file.size == 0 {
            throw MediaError(kind: .badData, file: path, operation: "read", cause: "the file is empty")
        }
        return file
    }

    private static func notVideo(
        _ path: String, _ error: AVError, io: DescriptorIO, _ demuxer: UnsafePointer<AVInputFormat>?, detail: String?
    ) -> MediaError {
        if let failure = io.failure { return MediaError(failure, kind: .io, file: path, operation: "read") }
        if io.byteCount == 0 { return noFrame(path) }
        if let demuxer, demuxer.isY4M {
            return MediaError(
                kind: .badData, file: path, operation: "read",
                cause: "its Y4M header tells a size, a format or an interlacing that can't be")
        }
        let cause =
            detail == "moov atom not found"
            ? "the file is cut short or damaged (it has no index: moov atom not found)"
            : "it is no video that FFmpeg knows, or it is damaged (\(error.description.lowercased()))"
        return MediaError(error, kind: .badData, file: path, operation: "read", detail: cause)
    }

    private static func noFrame(_ path: String) -> MediaError {
        MediaError(kind: .badData, file: path, operation: "read", cause: "it ended before the first frame")
    }

    var streams: [UnsafeMutablePointer<AVStream>] {
        (0..<Int(context.pointee.nb_streams)).map { context.pointee.streams[$0]! }
    }

    /// The stream to decode: the one that FFmpeg takes for the best; cover pictures don't count.
    func bestVideoStream() throws(MediaError) -> UnsafeMutablePointer<AVStream> {
        let index = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard index >= 0, !streams[Int(index)].isCoverPicture else {
            let kinds = streams.map { StreamDescription($0) }.map(\.description)
            let found = kinds.isEmpty ? "" : " (only " + kinds.joined(separator: ", ") + ")"
            throw MediaError(kind: .badData, file: path, operation: "read", cause: "it has no video stream\(found)")
        }
        return streams[Int(index)]
    }

    /// Whether time stamps may start anywhere and jump, as in MPEG-TS.
    var hasArbitraryTimeline: Bool { context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0 }

    /// Frames per second: the average, or what FFmpeg guesses where there is none; `0/1` where nothing is known.
    func frameRate(of stream: UnsafeMutablePointer<AVStream>) -> AVRational {
        let average = stream.pointee.avg_frame_rate
        if average.num > 0, average.den > 0 { return average }
        let guess = av_guess_frame_rate(context, stream, nil)
        return guess.num > 0 && guess.den > 0 ? guess : AVRational(num: 0, den: 1)
    }

    /// The lowest rate at which every frame falls on a tick, where that is plausible; the average otherwise.
    func gridRate(of stream: UnsafeMutablePointer<AVStream>) -> AVRational {
        let grid = stream.pointee.r_frame_rate
        return grid.num > 0 && grid.den > 0 && av_q2d(grid) <= 240 ? grid : frameRate(of: stream)
    }

    /// Seconds of the stream, or of the file where the stream does not tell; nil where nothing does.
    func duration(of stream: UnsafeMutablePointer<AVStream>) -> Double? {
        let whole = context.pointee.duration
        let length = stream.pointee.duration
        let seconds =
            length != FFNoTimestamp && length > 0
            ? Double(length) * av_q2d(stream.pointee.time_base) : Double(whole) / Double(AV_TIME_BASE)
        // Less than a byte per second: fragmented files without an index make FFmpeg believe in days.
        return seconds > 0 && seconds < Double(file.size) ? seconds : nil
    }

    /// Whether the container has no time stamps at all, as raw Annex B.
    var hasNoTimestamps: Bool { context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS != 0 }

    /// The first time stamp of any stream in microseconds; 0 where unknown.
    var startTime: Int64 { context.pointee.start_time == FFNoTimestamp ? 0 : context.pointee.start_time }

    /// Reads the next packet of any stream; nil at the end.
    ///
    /// Damage inside the file ends it as if it were cut there, which is what FFmpeg's own program does.
    func read(into packet: Packet) throws(AVError) -> Bool {
        switch source {
        case .bytes(let io): guard try read(io, into: packet) else { return false }
        case .camera(let camera): guard try camera.read(into: packet.pointer) else { return false }
        }
        packet.pointer.pointee.time_base = streams[packet.streamIndex].pointee.time_base
        packet.dropImpossibleTimes()
        return true
    }

    private func read(_ io: DescriptorIO, into packet: Packet) throws(AVError) -> Bool {
        while true {
            av_packet_unref(packet.pointer)
            let rc = av_read_frame(context, packet.pointer)
            if rc == FFErrorAgain { continue }
            if rc < 0, let failure = io.failure { throw failure }
            if rawFrames != nil, !noteRawFrame(rc, packet) { return false }
            if rc == FFErrorEndOfFile { return false }
            try AVError.check(rc)
            return true
        }
    }

    /// Counts a whole raw frame, or notes what of the last one is missing and returns false.
    private func noteRawFrame(_ code: CInt, _ packet: Packet) -> Bool {
        guard let layout = rawFrames, truncation == nil, !source.isInterrupted else { return false }
        if code >= 0, packet.pointer.pointee.size == layout.byteCount {
            rawFrames?.note(position: source.position)
            return true
        }
        let advice = layout.frameCount > 0 ? "every frame before it was read" : nil
        let name = layout.frameCount > 0 ? "the last frame" : "the first frame"
        if code < 0, code != FFErrorEndOfFile {
            truncation = MediaError(
                kind: .badData, file: path, operation: "read",
                cause: "frame \(layout.frameCount + 1) does not begin with 'FRAME'", advice: advice)
            return false
        }
        let missing = layout.missingByteCount(position: source.position)
        if missing > 0 {
            truncation = MediaError(
                kind: .badData, file: path, operation: "read",
                cause: "\(name) is cut short: \(missing) of its \(layout.byteCount) bytes are missing", advice: advice)
        } else if layout.frameCount == 0 {
            truncation = Self.noFrame(path)
        }
        return false
    }

    /// Goes to a key frame of `stream` at or before `time` in units of its time base; false where that can't be done.
    func seek(_ stream: UnsafeMutablePointer<AVStream>, to time: Int64) -> Bool {
        guard source.isSeekable, av_seek_frame(context, stream.pointee.index, time, AVSEEK_FLAG_BACKWARD) >= 0 else {
            return false
        }
        rawFrames?.restart(position: source.position)
        return true
    }
}

extension UnsafeMutablePointer<AVStream> {
    /// Whether the stream is a still picture that goes with the file.
    var isCoverPicture: Bool { pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 }

    /// The display matrix of the container, if it tells one.
    var displayMatrix: DisplayMatrix? {
        for index in 0..<FFStreamSideDataCount(self) {
            let piece = FFStreamSideData(self, index).pointee
            if piece.type == AV_PKT_DATA_DISPLAYMATRIX, piece.size >= DisplayMatrix.byteCount {
                return DisplayMatrix(bytes: piece.data)
            }
        }
        return nil
    }
}
