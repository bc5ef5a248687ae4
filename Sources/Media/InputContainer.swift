import CFFmpeg
import Glibc
import Imaging

/// A media file, a stream or a camera that is being read: FFmpeg's `AVFormatContext` with one input and nothing else behind it.
final class InputContainer {
    let path: String
    /// nil where it is none.
    let file: LocalFile?
    let context: UnsafeMutablePointer<AVFormatContext>
    let source: InputSource
    /// Why the input ends within a picture; nil as long as it doesn't.
    private(set) var truncation: MediaError?
    /// nil where frames are not raw.
    private var rawFrames: RawFrameLayout?

    /// How often in a row it may fail to give a packet.
    private static let damagedReadLimit = 64

    /// Opens a camera in the mode that `wish` finds.
    init(camera device: VideoDevice, path: String, wish: CameraWish) throws(MediaError) {
        self.path = path
        let camera = try CaptureDevice(device, wish: wish)
        guard let file = LocalFile(path: device.path) else { throw camera.failure(.system(ENODEV)) }
        self.file = file
        source = .camera(camera)
        context = camera.context
    }

    /// Opens `path`, whatever characters it holds, as a file, a FIFO or a device; `-` is standard input. Where it is no file and
    /// `limits` allow the protocol that it names, it is a URL.
    ///
    /// FFmpeg gets no other protocol to open anything else with, so a playlist can't pull in other files.
    init(path: String, format: InputFormat, limits: InputLimits) throws(MediaError) {
        LibraryLog.install()
        self.path = path
        let scheme = InputLimits.scheme(of: path)
        if let scheme, !limits.allowedProtocols.contains(scheme) { throw InputErrors(path: path).notAllowed(scheme) }
        if let scheme, scheme != InputLimits.fileScheme {
            file = nil
            (context, source) = try Self.openRemote(path, format: format, limits: limits)
        } else {
            // What follows is a path as it is, with nothing escaped.
            let name = scheme == nil ? path : String(path.dropFirst(InputLimits.fileScheme.count + 1))
            let file = try Self.inspect(name)
            self.file = file
            (context, source, rawFrames) = try Self.openBytes(name, file, format: format, limits: limits)
        }
        let told = (0..<Int(context.pointee.nb_streams)).map {
            ToldColor(context.pointee.streams[$0]!.pointee.codecpar.pointee)
        }
        let found = Self.findStreams(context, limits: limits)
        for (index, color) in told.enumerated() {
            color.complete(&context.pointee.streams[index]!.pointee.codecpar.pointee)
        }
        guard found >= 0 else { throw notVideo(AVError(code: found)) }
    }

    private static func openBytes(
        _ path: String, _ file: LocalFile, format: InputFormat, limits: InputLimits
    ) throws(MediaError) -> (UnsafeMutablePointer<AVFormatContext>, InputSource, RawFrameLayout?) {
        let io: DescriptorIO
        do {
            io = try DescriptorIO(reading: path, isStream: file.isStream)
        } catch {
            throw MediaError(error, kind: .noInput, file: path, operation: "open")
        }
        let demuxer = try format.probedDemuxer(io, path: path)
        guard let allocated = avformat_alloc_context() else {
            throw MediaError(.outOfMemory, kind: .internal, file: path, operation: "open")
        }
        allocated.pointee.pb = io.context
        let isRaw = demuxer.map { $0.isRawVideo || $0.isY4M } ?? false
        // What raw frames are stands in the header; looking at more of them would only make them late.
        if isRaw { allocated.pointee.fps_probe_size = 0 }
        let address = UInt(bitPattern: allocated)
        LibraryLog.forget(address)
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        var options = format.dictionary(limits)
        let rc = avformat_open_input(&context, path, demuxer, &options)
        av_dict_free(&options)
        guard rc >= 0, let context else {
            throw InputErrors(path: path).notVideo(
                AVError(code: rc), io: io, demuxer: demuxer, detail: LibraryLog.lastError(from: address))
        }
        if limits.allowedProtocols.isEmpty { context.pointee.io_open = { _, _, _, _, _ in FFError(EPERM) } }
        guard isRaw, let demuxer else { return (context, .bytes(io), nil) }
        let layout = try rawFrames(
            context, isY4M: demuxer.isY4M, limits: limits, path: path, position: io.position)
        return (context, .bytes(io), layout)
    }

    private static func openRemote(
        _ path: String, format: InputFormat, limits: InputLimits
    ) throws(MediaError) -> (UnsafeMutablePointer<AVFormatContext>, InputSource) {
        guard let allocated = avformat_alloc_context() else {
            throw MediaError(.outOfMemory, kind: .internal, file: path, operation: "open")
        }
        let input = RemoteInput()
        let logPosition = LibraryLog.position
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        var options = format.dictionary(limits)
        input.attach(to: allocated, options: &options)
        let rc = avformat_open_input(&context, path, format.demuxer, &options)
        av_dict_free(&options)
        guard rc >= 0, let context else {
            if let refused = InputLimits.refusedProtocol(since: logPosition) {
                throw InputErrors(path: path).needs(protocol: refused, besides: limits)
            }
            let error = AVError(code: rc)
            guard error.code == FFErrorInvalidData else {
                throw MediaError(
                    kind: .noInput, file: path, operation: "open", cause: error.description)
            }
            throw InputErrors(path: path).notVideo(error)
        }
        let seekable = context.pointee.pb.map { $0.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0 } ?? false
        return (context, .remote(input, isSeekable: seekable))
    }

    /// Has FFmpeg look into the streams; what it decodes for that keeps to the limits.
    private static func findStreams(_ context: UnsafeMutablePointer<AVFormatContext>, limits: InputLimits) -> CInt {
        let count = Int(context.pointee.nb_streams)
        var options = [OpaquePointer?](repeating: nil, count: max(count, 1))
        for index in 0..<count { av_dict_set_int(&options[index], "max_pixels", limits.decodedPixelCount, 0) }
        defer { for index in 0..<count { av_dict_free(&options[index]) } }
        return avformat_find_stream_info(context, &options)
    }

    deinit {
        // A camera closes its own.
        guard !isCamera else { return }
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

    /// What to do where not one picture could be decoded; nil where the container is not the cause.
    var adviceWhereNothingIsDecoded: String? {
        if formatName == "webp_pipe" {
            return "if it is an animation, make a GIF or an APNG of it: FFmpeg decodes none in WebP"
        }
        guard formatName.hasPrefix("mov,"), !source.isSeekable else { return nil }
        return "of MP4 and QuickTime only files whose index comes first can be piped: make it with -movflags +faststart"
    }

    /// Whether it is one photograph, whatever the file holds behind it: a smaller one, a map of gains, a video.
    var isPhotograph: Bool { formatName == "jpeg_pipe" && file?.isRegular ?? false }

    /// Whether it is nothing but uncompressed frames.
    var hasRawFrames: Bool { rawFrames != nil }

    private static func rawFrames(
        _ context: UnsafeMutablePointer<AVFormatContext>, isY4M: Bool, limits: InputLimits, path: String,
        position: Int64
    ) throws(MediaError) -> RawFrameLayout {
        let stream = context.pointee.streams[0]!
        let parameters = stream.pointee.codecpar.pointee
        let (width, height) = (Int(parameters.width), Int(parameters.height))
        let problem = RawFrameLayout.problem(
            format: AVPixelFormat(rawValue: parameters.format), width: width, height: height)
        do throws(MediaError) {
            try limits.check(width: width, height: height, file: path)
            if let problem { throw MediaError(kind: .badData, file: path, operation: "read", cause: problem) }
        } catch {
            var context: UnsafeMutablePointer<AVFormatContext>? = context
            avformat_close_input(&context)
            throw error
        }
        return RawFrameLayout(stream, isY4M: isY4M, position: position)
    }

    private static func inspect(_ path: String) throws(MediaError) -> LocalFile {
        guard let file = StandardStream.input(path) else {
            let cause = LocalFile.errorText()
            let pipe = "pipe the images in, as in 'ffmpeg -i \(path) -f yuv4mpegpipe - | matte - out.mp4'"
            let isNumbered = ImageNames(path: path).isNumbered
            throw MediaError(
                kind: .noInput, file: path, operation: "open", cause: cause,
                advice: isNumbered ? "numbered names are for outputs; \(pipe)" : nil)
        }
        if file.isDirectory {
            throw MediaError(
                kind: .noInput, file: path, operation: "open", cause: "it is a folder", advice: "name a video file")
        }
        guard StandardStream.inputDescriptor(of: path) != nil || access(path, R_OK) == 0 else {
            throw MediaError(kind: .noInput, file: path, operation: "open", cause: LocalFile.errorText())
        }
        if file.isRegular && file.size == 0 {
            throw MediaError(kind: .badData, file: path, operation: "read", cause: "the file is empty")
        }
        return file
    }

    private func notVideo(_ error: AVError) -> MediaError {
        guard case .bytes(let io) = source else { return InputErrors(path: path).notVideo(error) }
        return InputErrors(path: path).notVideo(error, io: io, demuxer: context.pointee.iformat)
    }

    func stream(_ index: Int) -> UnsafeMutablePointer<AVStream> { context.pointee.streams[index]! }

    var streams: [UnsafeMutablePointer<AVStream>] {
        (0..<Int(context.pointee.nb_streams)).map { context.pointee.streams[$0]! }
    }

    /// The stream to decode: the one that FFmpeg takes for the best, or the first video that `specifier` means; cover pictures
    /// don't count.
    func videoStream(_ specifier: String? = nil) throws(MediaError) -> UnsafeMutablePointer<AVStream> {
        guard let specifier else {
            let index = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
            guard index >= 0, !stream(Int(index)).isCoverPicture else {
                throw MediaError(
                    kind: .badData, file: path, operation: "read", cause: "it has no video stream\(contents("only "))")
            }
            return stream(Int(index))
        }
        let match = streams.first { stream in
            stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO && !stream.isCoverPicture
                && avformat_match_stream_specifier(context, stream, specifier) > 0
        }
        guard let match else {
            throw MediaError(
                kind: .usage, file: path, operation: "read", cause: "no video stream is '\(specifier)'\(contents(""))",
                advice: "name one by its number, or as FFmpeg does, such as v:1")
        }
        return match
    }

    /// What streams there are, in brackets; of many the first.
    private func contents(_ word: String) -> String {
        let shown = 8
        let kinds = streams.prefix(shown).map { StreamDescription($0).description }
        guard !kinds.isEmpty else { return "" }
        let rest = streams.count > shown ? " and \(streams.count - shown) more" : ""
        return " (\(word)\(kinds.joined(separator: ", "))\(rest))"
    }

    /// Reads the next packet of any stream; false at the end.
    ///
    /// - Throws: `AVError` where the file is damaged or can't be read; reading may go on behind damage.
    func read(into packet: Packet) throws(AVError) -> Bool {
        switch source {
        case .bytes(let io): guard try read(io, into: packet) else { return false }
        case .remote: guard try readRemote(into: packet) else { return false }
        case .camera(let camera): guard try camera.read(into: packet.pointer) else { return false }
        }
        packet.pointer.pointee.time_base = stream(packet.streamIndex).pointee.time_base
        packet.dropImpossibleTimes()
        return true
    }

    /// Reads the next packet of any stream, behind what is damaged; false at the end, and where nothing can be read any more.
    ///
    /// - Throws: `AVError` where the file can't be read, and what is thrown by `onDamage`, which gets each failure.
    func readPassingDamage(
        into packet: Packet, onDamage: (AVError) throws(AVError) -> Void
    ) throws(AVError) -> Bool {
        for _ in 0..<Self.damagedReadLimit {
            do {
                return try read(into: packet)
            } catch  where isDamage(error) {
                try onDamage(error)
            }
        }
        return false
    }

    /// Whether `error` tells of data that are wrong, which may be right again behind them, rather than of a failure to read or to hold
    /// them.
    func isDamage(_ error: AVError) -> Bool { !error.isInputOutput && error != .outOfMemory && !source.hasFailed }

    private func read(_ io: DescriptorIO, into packet: Packet) throws(AVError) -> Bool {
        while true {
            av_packet_unref(packet.pointer)
            let rc = av_read_frame(context, packet.pointer)
            if rc == FFErrorAgain { continue }
            if rc < 0, let failure = io.failure { throw failure }
            if rawFrames != nil, !noteRawFrame(rc, packet) { return false }
            if rc == FFErrorEndOfFile { return false }
            // All bytes came: what some demuxers call an I/O error is damage.
            try AVError.check(rc == FFError(EIO) ? FFErrorInvalidData : rc)
            return true
        }
    }

    private func readRemote(into packet: Packet) throws(AVError) -> Bool {
        var rc: CInt
        repeat {
            av_packet_unref(packet.pointer)
            rc = av_read_frame(context, packet.pointer)
        } while rc == FFErrorAgain && !source.isInterrupted
        if source.isInterrupted || rc == FFErrorEndOfFile && context.pointee.pb?.pointee.error ?? 0 >= 0 {
            return false
        }
        // A lost connection looks like the end.
        try AVError.check(rc == FFErrorEndOfFile ? context.pointee.pb.pointee.error : rc)
        return true
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
            truncation = InputErrors(path: path).noFrame
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
