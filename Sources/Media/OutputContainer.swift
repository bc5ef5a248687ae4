import CFFmpeg
import Glibc
import Imaging

/// A media file that is being written, under a temporary name beside its final one until it is complete.
final class OutputContainer {
    let path: String
    let context: UnsafeMutablePointer<AVFormatContext>
    let format: UnsafePointer<AVOutputFormat>
    private let temporaryPath: String
    private let overwrites: Bool
    private var lastDTS: [Int64] = []
    private var isClosed = false

    /// Makes the temporary file; `input` is the file that is being read, which can't be the output too.
    init(
        path: String, format: UnsafePointer<AVOutputFormat>, input: LocalFile, overwrite: Bool
    ) throws(MediaError) {
        self.path = path
        self.format = format
        self.overwrites = overwrite
        try Self.inspect(path, input: input, overwrite: overwrite)
        let folder = LocalFile.folder(of: path)
        temporaryPath =
            (folder == "/" ? "" : folder) + "/.matte-\(String(UInt64.random(in: 0 ... .max), radix: 36)).partial"
        var context: UnsafeMutablePointer<AVFormatContext>?
        guard avformat_alloc_output_context2(&context, format, nil, path) >= 0, let context else {
            throw MediaError(.outOfMemory, kind: .internal, file: path, operation: "create")
        }
        self.context = context
        LibraryLog.forget(UInt(bitPattern: context))
        let rc = avio_open2(&context.pointee.pb, "file:" + temporaryPath, AVIO_FLAG_WRITE, nil, nil)
        guard rc >= 0 else {
            let cause = AVError(code: rc).description.lowercased()
            throw MediaError(
                kind: .cannotCreate, file: path, operation: "create", cause: "its folder can't be written to: \(cause)")
        }
        context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    }

    deinit { close() }

    /// The container that a file's name asks for.
    static func format(for path: String) throws(MediaError) -> UnsafePointer<AVOutputFormat> {
        let advice = "choose a name that ends in .mp4, .mov, .mkv or .webm"
        guard let format = av_guess_format(nil, path, nil) else {
            throw MediaError(
                kind: .usage, file: path, operation: "create", cause: "its name does not tell a container",
                advice: advice)
        }
        guard format.pointee.video_codec != AV_CODEC_ID_NONE, format.pointee.flags & AVFMT_NOFILE == 0 else {
            throw MediaError(
                kind: .usage, file: path, operation: "create",
                cause: "the format \(String(cString: format.pointee.name)) does not hold video in one file",
                advice: advice)
        }
        return format
    }

    /// The muxers of libavformat's `movenc.c`, which hold display matrices, light levels and time code.
    static func isQuickTimeFamily(_ format: UnsafePointer<AVOutputFormat>) -> Bool {
        ["mp4", "mov", "ipod", "3gp", "3g2", "psp", "ismv", "f4v"].contains(String(cString: format.pointee.name))
    }

    private static func inspect(_ path: String, input: LocalFile, overwrite: Bool) throws(MediaError) {
        let folder = LocalFile.folder(of: path)
        guard let place = LocalFile(path: folder), place.isDirectory else {
            throw MediaError(
                kind: .cannotCreate, file: path, operation: "create", cause: "there is no folder '\(folder)'",
                advice: "make it first")
        }
        guard access(folder, W_OK) == 0 else {
            let cause = LocalFile.lastErrorText.lowercased()
            throw MediaError(
                kind: .cannotCreate, file: path, operation: "create", cause: "its folder can't be written to: \(cause)")
        }
        guard let existing = LocalFile(path: path) else { return }
        if existing.isDirectory {
            throw MediaError(kind: .cannotCreate, file: path, operation: "create", cause: "it is a folder")
        }
        if existing.isSame(as: input) {
            throw MediaError(
                kind: .cannotCreate, file: path, operation: "create", cause: "it is the file that is being read",
                advice: "choose another name")
        }
        if !overwrite {
            throw MediaError(
                kind: .cannotCreate, file: path, operation: "create", cause: "it exists already",
                advice: "choose another name, or pass --overwrite")
        }
    }

    /// What the muxer has said last about its own failure.
    var lastError: String? { LibraryLog.lastError(from: UInt(bitPattern: context)) }

    var streams: [UnsafeMutablePointer<AVStream>] {
        (0..<Int(context.pointee.nb_streams)).map { context.pointee.streams[$0]! }
    }

    /// Sets what QuickTime's family needs to tell all about the video.
    func prepareQuickTime(timeBase: AVRational, color: ColorDescription) {
        guard Self.isQuickTimeFamily(format) else { return }
        // Edit lists, which tell when a track begins, are to be as fine as the video's time.
        if timeBase.num == 1, timeBase.den > 1000 {
            av_opt_set_int(context, "movie_timescale", Int64(timeBase.den), AV_OPT_SEARCH_CHILDREN)
        }
        // The muxer leaves the colour box out where nothing but the range is known.
        let isRangeAlone =
            color.range != .unspecified
            && ColorDescription(range: color.range, chromaLocation: color.chromaLocation) == color
        if isRangeAlone { av_opt_set(context, "movflags", "+write_colr", AV_OPT_SEARCH_CHILDREN) }
    }

    func writeHeader() throws(AVError) {
        try AVError.check(avformat_write_header(context, nil))
        lastDTS = Array(repeating: FFNoTimestamp, count: Int(context.pointee.nb_streams))
    }

    /// Takes the packet over and writes it in its turn; returns whether its decoding time had to be mended.
    ///
    /// `packet`'s time stamps are in its own time base. A decoding time that does not grow, be it in the input or because the
    /// container's time base is coarser, is set just behind the one before: muxers refuse it otherwise.
    func write(_ packet: Packet, to index: Int) throws(AVError) -> Bool {
        let stream = streams[index]
        let target = packet.pointer
        av_packet_rescale_ts(target, packet.timeBase.av, stream.pointee.time_base)
        target.pointee.time_base = stream.pointee.time_base
        target.pointee.stream_index = CInt(index)
        target.pointee.pos = -1
        let mended = mend(target, index)
        try AVError.check(av_interleaved_write_frame(context, target))
        return mended
    }

    private func mend(_ packet: UnsafeMutablePointer<AVPacket>, _ index: Int) -> Bool {
        let last = lastDTS[index]
        guard packet.pointee.dts != FFNoTimestamp else { return false }
        defer { lastDTS[index] = packet.pointee.dts }
        let allowsEqual = format.pointee.flags & AVFMT_TS_NONSTRICT != 0
        guard last != FFNoTimestamp, packet.pointee.dts < last + (allowsEqual ? 0 : 1) else { return false }
        packet.pointee.dts = last + (allowsEqual ? 0 : 1)
        if packet.pointee.pts != FFNoTimestamp { packet.pointee.pts = max(packet.pointee.pts, packet.pointee.dts) }
        return true
    }

    /// Writes what is left, waits until it is on the disk and gives the file its final name.
    func finish() throws(AVError) {
        try AVError.check(av_write_trailer(context))
        avio_flush(context.pointee.pb)
        let failure = context.pointee.pb.pointee.error
        let rc = avio_closep(&context.pointee.pb)
        try AVError.check(failure)
        try AVError.check(rc)
        try LocalFile.synchronize(temporaryPath)
        // Somebody may have made the file in the meantime.
        guard overwrites || LocalFile(path: path) == nil else { throw AVError(code: FFError(EEXIST)) }
        guard rename(temporaryPath, path) == 0 else { throw AVError(code: -errno) }
    }

    /// Removes what was written.
    func discard() { close() }

    private func close() {
        guard !isClosed else { return }
        isClosed = true
        if context.pointee.pb != nil { avio_closep(&context.pointee.pb) }
        avformat_free_context(context)
        unlink(temporaryPath)
    }
}
