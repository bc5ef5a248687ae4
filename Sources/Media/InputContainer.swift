import CFFmpeg
import Glibc
import Imaging

/// A media file that is being read: FFmpeg's `AVFormatContext` with one local file and nothing else behind it.
final class InputContainer {
    let path: String
    let file: LocalFile
    let context: UnsafeMutablePointer<AVFormatContext>
    private var io: UnsafeMutablePointer<AVIOContext>?

    /// Opens `path` as a file, whatever characters it holds.
    ///
    /// FFmpeg gets no protocol to open anything else with, so a playlist can't pull in other files.
    init(path: String) throws(MediaError) {
        LibraryLog.install()
        self.path = path
        file = try Self.inspect(path)

        var io: UnsafeMutablePointer<AVIOContext>?
        let opened = avio_open2(&io, "file:" + path, AVIO_FLAG_READ, nil, nil)
        guard opened >= 0 else {
            throw MediaError(AVError(code: opened), kind: .noInput, file: path, operation: "open")
        }
        guard let allocated = avformat_alloc_context() else {
            avio_closep(&io)
            throw MediaError(.outOfMemory, kind: .internal, file: path, operation: "open")
        }
        allocated.pointee.pb = io
        let address = UInt(bitPattern: allocated)
        LibraryLog.forget(address)
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        var format: UnsafePointer<AVInputFormat>?
        av_probe_input_buffer2(io, &format, path, nil, 0, 0)
        if let format, String(cString: format.pointee.name) == "rawvideo" {
            avio_closep(&io)
            avformat_free_context(allocated)
            throw MediaError(
                kind: .badData, file: path, operation: "read",
                cause: "raw video does not tell its size and pixel format",
                advice: "put it into a container first, such as .y4m or .mkv")
        }
        var options: OpaquePointer?
        av_dict_set(&options, "protocol_whitelist", "none", 0)
        let rc = avformat_open_input(&context, path, format, &options)
        av_dict_free(&options)
        guard rc >= 0, let context else {
            avio_closep(&io)
            throw Self.notVideo(path, AVError(code: rc), detail: LibraryLog.lastError(from: address))
        }
        self.context = context
        self.io = io
        context.pointee.io_open = { _, _, _, _, _ in FFError(EPERM) }
        let found = avformat_find_stream_info(context, nil)
        guard found >= 0 else { throw Self.notVideo(path, AVError(code: found), detail: nil) }
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
        avio_closep(&io)
    }

    private static func inspect(_ path: String) throws(MediaError) -> LocalFile {
        guard let file = LocalFile(path: path) else {
            throw MediaError(kind: .noInput, file: path, operation: "open", cause: LocalFile.lastErrorText.lowercased())
        }
        if file.isDirectory {
            throw MediaError(
                kind: .noInput, file: path, operation: "open", cause: "it is a folder", advice: "name a video file")
        }
        guard access(path, R_OK) == 0 else {
            throw MediaError(kind: .noInput, file: path, operation: "open", cause: LocalFile.lastErrorText.lowercased())
        }
        if file.isRegular && file.size == 0 {
            throw MediaError(kind: .badData, file: path, operation: "read", cause: "the file is empty")
        }
        return file
    }

    private static func notVideo(_ path: String, _ error: AVError, detail: String?) -> MediaError {
        let cause =
            detail == "moov atom not found"
            ? "the file is cut short or damaged (it has no index: moov atom not found)"
            : "it is no video that FFmpeg knows, or it is damaged (\(error.description.lowercased()))"
        return MediaError(error, kind: .badData, file: path, operation: "read", detail: cause)
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
        while true {
            av_packet_unref(packet.pointer)
            let rc = av_read_frame(context, packet.pointer)
            if rc == FFErrorAgain { continue }
            if rc == FFErrorEndOfFile { return false }
            try AVError.check(rc)
            packet.pointer.pointee.time_base = streams[packet.streamIndex].pointee.time_base
            return true
        }
    }

    /// Goes to a key frame of `stream` at or before `time` in units of its time base; false where that can't be done.
    func seek(_ stream: UnsafeMutablePointer<AVStream>, to time: Int64) -> Bool {
        av_seek_frame(context, stream.pointee.index, time, AVSEEK_FLAG_BACKWARD) >= 0
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
