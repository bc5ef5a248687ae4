import CFFmpeg
import Glibc
import Imaging

/// A media file that is being written, under a temporary name beside its final one until it is complete, or a stream that is
/// written to at once.
final class OutputContainer {
    let path: String
    let context: UnsafeMutablePointer<AVFormatContext>
    let format: UnsafePointer<AVOutputFormat>
    private let io: DescriptorIO
    /// nil for a stream.
    private let partial: PartialFile?
    private var lastDTS: [Int64] = []
    /// Where the next packet of each sound is to begin, in its samples, if nothing is missing.
    private var nextSamples: [Int64] = []

    /// Microseconds that a receiver of a transport stream has between a frame's bytes and its decoding, as `ffmpeg` has it.
    private static let lead: CInt = 700_000
    private var isClosed = false

    /// Makes the temporary file or opens the stream; `input` is what is being read, which can't be the output too.
    init(
        path: String, format: UnsafePointer<AVOutputFormat>, input: LocalFile?, overwrite: Bool
    ) throws(MediaError) {
        self.path = path
        self.format = format
        if StandardStream.isOutputStream(path) {
            partial = nil
            try Self.refuseStream(of: format, path: path)
            io = try Self.openStream(path, input: input)
        } else {
            let partial = try PartialFile(for: path, input: input, overwrites: overwrite)
            self.partial = partial
            do {
                io = try DescriptorIO(writing: partial.descriptor)
            } catch {
                throw MediaError(error, kind: .internal, file: path, operation: "create")
            }
        }
        var context: UnsafeMutablePointer<AVFormatContext>?
        guard avformat_alloc_output_context2(&context, format, nil, path) >= 0, let context else {
            throw MediaError(.outOfMemory, kind: .internal, file: path, operation: "create")
        }
        self.context = context
        LibraryLog.forget(UInt(bitPattern: context))
        context.pointee.pb = io.context
        // Without it Matroska gets numbers at random: no two runs would write the same file.
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
        context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
        // Their time begins at 0; AVI would show its first frame from there on until the second comes.
        if ContainerTiming(format).beginsTogether { context.pointee.avoid_negative_ts = 2 }
        // By so much a receiver of MPEG-TS gets frames before they are decoded, and a packet holds of sound.
        if format.name == "mpegts" { context.pointee.max_delay = Self.lead }
        if partial == nil { prepareStream() }
    }

    deinit { close() }

    private static func refuseStream(of format: UnsafePointer<AVOutputFormat>, path: String) throws(MediaError) {
        guard format.name == "apng" else { return }
        throw MediaError(
            kind: .usage, file: path, operation: "create",
            cause: "apng tells first how many pictures there are, which nobody knows of a stream",
            advice: "name a file, or choose another --output-format, such as gif or webp")
    }

    private static func openStream(_ path: String, input: LocalFile?) throws(MediaError) -> DescriptorIO {
        if let input, let output = LocalFile(path: path), output.isFIFO, output.isSame(as: input) {
            throw OutputPlace.isInput(path)
        }
        do {
            return try DescriptorIO(writingStream: path)
        } catch {
            throw MediaError(error, kind: .cannotCreate, file: path, operation: "create")
        }
    }

    /// Nothing waits in a buffer, and nothing is mended afterwards: QuickTime's family is written in fragments.
    private func prepareStream() {
        context.pointee.flags |= AVFMT_FLAG_FLUSH_PACKETS
        // The muxer writes each frame in one piece, which needs no gathering before.
        if format.name == "rawvideo" { io.context.pointee.direct = 1 }
        guard Self.isQuickTimeFamily(format) else { return }
        let fragments = "+frag_keyframe+empty_moov+default_base_moof+delay_moov"
        av_opt_set(context, "movflags", fragments, AV_OPT_SEARCH_CHILDREN)
    }

    /// The container that is asked for by name, or else by the output's name, or else by an input of raw frames.
    static func format(
        named name: String?, for path: String, inputFormat: String
    ) throws(MediaError) -> UnsafePointer<AVOutputFormat> {
        if let name {
            guard let format = av_guess_format(name, nil, nil) else {
                throw MediaError(
                    kind: .usage, file: path, operation: "create", cause: "there is no output format '\(name)'",
                    advice: "'ffmpeg -muxers' lists them")
            }
            return try holdingVideo(format, path: path, advice: "choose another, such as matroska")
        }
        let extensions = inputFormat.hasSuffix("_pipe") ? ".jpg, .png, .webp or .avif" : ".mp4, .mov, .mkv or .webm"
        let isStandardOutput = StandardStream.outputDescriptor(of: path) != nil
        if !isStandardOutput, let format = av_guess_format(nil, path, nil) {
            return try holdingVideo(format, path: path, advice: "choose a name that ends in \(extensions)")
        }
        guard StandardStream.isOutputStream(path) else {
            throw MediaError(
                kind: .usage, file: path, operation: "create", cause: "its name does not tell a container",
                advice: "choose a name that ends in \(extensions)")
        }
        guard ["rawvideo", "yuv4mpegpipe"].contains(inputFormat), let format = av_guess_format(inputFormat, nil, nil)
        else {
            throw MediaError(
                kind: .usage, file: path, operation: "create", cause: "a stream's name does not tell a container",
                advice: "pass --output-format, such as matroska, yuv4mpegpipe or rawvideo")
        }
        return format
    }

    private static func holdingVideo(
        _ format: UnsafePointer<AVOutputFormat>, path: String, advice: String
    ) throws(MediaError) -> UnsafePointer<AVOutputFormat> {
        guard format.holdsVideo else {
            throw MediaError(
                kind: .usage, file: path, operation: "create",
                cause: "the format \(format.name) does not hold video in one file", advice: advice)
        }
        return format
    }

    /// The muxers of libavformat's `movenc.c`, which hold display matrices, light levels and time code.
    static func isQuickTimeFamily(_ format: UnsafePointer<AVOutputFormat>) -> Bool {
        ["mp4", "mov", "ipod", "3gp", "3g2", "psp", "ismv", "f4v"].contains(String(cString: format.pointee.name))
    }

    /// Whether the container itself tells the order of fields, whatever the codec.
    var tellsFieldOrder: Bool { Self.isQuickTimeFamily(format) || ["matroska", "mxf"].contains(format.name) }

    /// Whether chapters are kept; of raw frames nobody expects it.
    var holdsChapters: Bool {
        takesLateChapters || Self.isQuickTimeFamily(format)
            || ["matroska", "webm", "nut", "ogg", "ogv", "asf", "rawvideo", "yuv4mpegpipe"].contains(format.name)
    }

    /// Whether the muxer writes chapters at the end of the file, when it is known which ones there are.
    var takesLateChapters: Bool {
        partial != nil && (Self.isQuickTimeFamily(format) || ["matroska", "webm"].contains(format.name))
    }

    /// What the muxer has said last about its own failure.
    var lastError: String? { LibraryLog.lastError(from: UInt(bitPattern: context)) }

    func stream(_ index: Int) -> UnsafeMutablePointer<AVStream> { context.pointee.streams[index]! }

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
        // The muxer leaves the colour box out where not all of it is known; that of MOV has no place for the range.
        let isWhole = color.primaries != 2 && color.transfer != 2 && color.matrix != .unspecified
        let tellsRange = color.range != .unspecified && format.name != "mov"
        let isKnown = tellsRange || color.primaries != 2 || color.transfer != 2 || color.matrix != .unspecified
        if isKnown, !isWhole { av_opt_set(context, "movflags", "+write_colr", AV_OPT_SEARCH_CHILDREN) }
    }

    /// Has an animated image shown so often, 0 for without end.
    func prepareLoop(playCount: Int) {
        switch format.name {
        case "webp": av_opt_set_int(context, "loop", Int64(min(playCount, 65535)), AV_OPT_SEARCH_CHILDREN)
        case "apng": av_opt_set_int(context, "plays", Int64(min(playCount, 65535)), AV_OPT_SEARCH_CHILDREN)
        // How often it is shown again, -1 for never.
        case "gif":
            let again = playCount == 0 ? 0 : playCount == 1 ? -1 : min(playCount - 1, 65535)
            av_opt_set_int(context, "loop", Int64(again), AV_OPT_SEARCH_CHILDREN)
        default: break
        }
    }

    /// Has the last picture of an animated image shown for `duration`; else the muxers take it to last as long as the one before.
    func prepareEnd(_ duration: Int64, _ timeBase: AVRational) {
        switch format.name {
        case "gif":
            let hundredths = av_rescale_q(duration, timeBase, AVRational(num: 1, den: 100))
            av_opt_set_int(context, "final_delay", min(hundredths, 65535), AV_OPT_SEARCH_CHILDREN)
        case "apng":
            let seconds = av_mul_q(av_make_q(CInt(clamping: duration), 1), timeBase)
            av_opt_set_q(context, "final_delay", seconds, AV_OPT_SEARCH_CHILDREN)
        default: break
        }
    }

    func writeHeader() throws(AVError) {
        if format.name == "mov" { try nameLanguages() }
        try AVError.check(avformat_write_header(context, nil))
        lastDTS = Array(repeating: FFNoTimestamp, count: Int(context.pointee.nb_streams))
        nextSamples = lastDTS
    }

    /// Names the tracks' languages as the muxer of MOV knows them; what it doesn't know it leaves out.
    private func nameLanguages() throws(AVError) {
        for stream in streams {
            guard let entry = av_dict_get(stream.pointee.metadata, "language", nil, 0) else { continue }
            let code = QuickTimeLanguage.code(String(cString: entry.pointee.value))
            try AVError.check(av_dict_set(&stream.pointee.metadata, "language", code, 0))
        }
    }

    /// Takes the packet over and writes it in its turn; returns whether its decoding time had to be mended.
    ///
    /// `packet`'s time stamps are in its own time base. A decoding time that does not grow, be it in the input or because the
    /// container's time base is coarser, is set just behind the one before: muxers refuse it otherwise.
    func write(_ packet: Packet, to index: Int) throws(AVError) -> Bool {
        let stream = stream(index)
        let target = packet.pointer
        let exact = exactTimes(of: target, from: packet.timeBase.av, index)
        av_packet_rescale_ts(target, packet.timeBase.av, stream.pointee.time_base)
        if let exact { (target.pointee.pts, target.pointee.dts, target.pointee.duration) = exact }
        target.pointee.time_base = stream.pointee.time_base
        target.pointee.stream_index = CInt(index)
        target.pointee.pos = -1
        packet.shift(by: codecDelay(of: stream))
        let mended = mend(target, index)
        try AVError.check(av_interleaved_write_frame(context, target))
        // Matroska gathers packets in clusters of a second; whoever reads a stream is to have them now.
        if partial == nil, ["matroska", "webm"].contains(format.name) {
            try AVError.check(av_write_frame(context, nil))
        }
        return mended
    }

    /// When a packet of sound of known length begins, and how long it lasts, where its own container's units are coarser than samples: as
    /// many samples behind the one before as that has, unless something is missing. In the output's units; nil where there is nothing to
    /// mend.
    private func exactTimes(
        of packet: UnsafeMutablePointer<AVPacket>, from unit: AVRational, _ index: Int
    ) -> (pts: Int64, dts: Int64, duration: Int64)? {
        let (stream, parameters) = (stream(index), stream(index).pointee.codecpar!)
        let target = stream.pointee.time_base
        guard parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO, parameters.pointee.sample_rate > 0,
            packet.pointee.dts != FFNoTimestamp, packet.pointee.pts == packet.pointee.dts
        else { return nil }
        let counted = av_get_audio_frame_duration2(parameters, packet.pointee.size)
        let count = counted > 0 ? counted : parameters.pointee.frame_size
        guard count > 0 else { return nil }
        let sample = AVRational(num: 1, den: parameters.pointee.sample_rate)
        let start = av_rescale_delta(unit, packet.pointee.dts, sample, count, &nextSamples[index], target)
        let told = av_rescale_q(packet.pointee.duration, unit, target)
        let exact = av_rescale_q(Int64(count), sample, target)
        // What a file tells may be anything.
        let isRounded = (told &- exact).magnitude <= av_rescale_q(1, unit, target).magnitude
        return (start, start, isRounded ? exact : told)
    }

    /// What readers of Matroska take off the times of Opus, and the muxer of libavformat 59 forgets to add.
    private func codecDelay(of stream: UnsafeMutablePointer<AVStream>) -> Int64 {
        let parameters = stream.pointee.codecpar.pointee
        guard avformat_version() >> 16 == 59, parameters.codec_id == AV_CODEC_ID_OPUS,
            ["matroska", "webm"].contains(format.name)
        else { return 0 }
        return av_rescale_q(
            Int64(parameters.initial_padding), AVRational(num: 1, den: 48_000), stream.pointee.time_base)
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

    /// What ends the wait for a stream's reader that takes nothing.
    var interrupter: Interrupter {
        let io = io
        return Interrupter { io.interrupt() }
    }

    /// Writes what is left; a file is waited for until it is on the disk, and gets its final name.
    ///
    /// Where it `isCancelled` by then it gets none. Whether it has.
    func finish(unless isCancelled: () -> Bool) throws(MediaError) -> Bool {
        do {
            try AVError.check(av_write_trailer(context))
            try io.flush()
        } catch {
            throw MediaError(error, kind: .io, file: path, operation: "write")
        }
        try partial?.sync()
        guard !isCancelled() else { return false }
        try partial?.publish()
        return true
    }

    /// Removes what was written; of a stream nothing can be taken back.
    func discard() { close() }

    private func close() {
        guard !isClosed else { return }
        isClosed = true
        avformat_free_context(context)
        io.close()
        partial?.discard()
    }
}

extension UnsafePointer<AVOutputFormat> {
    /// FFmpeg's name.
    var name: String { String(cString: pointee.name) }
    /// Whether one file holds video; that of music has room for a picture on its cover alone.
    var holdsVideo: Bool {
        pointee.video_codec != AV_CODEC_ID_NONE && pointee.flags & AVFMT_NOFILE == 0
            && !["mp3", "aiff", "flac"].contains(name)
    }
}
