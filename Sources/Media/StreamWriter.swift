import CFFmpeg
import Imaging

/// Writes a container: encodes pictures, and copies the packets of all other streams bit for bit, but for subtitles of text that it
/// holds in another codec.
///
/// A file lies under a temporary name beside its final one until `finish()`. Where a container can't hold the times before 0 at
/// which the priming of audio lies (AVI, MPEG-TS, and Matroska for all but Opus, whose delay it tells), all streams move
/// together by that much, and to 0 where it can't hold another beginning (AVI, MXF, GXF, DV, RealMedia, SWF). The encoder is opened by the first frame. The reader that it was made with may go on in another thread.
final class StreamWriter {
    private let path: String
    /// What of the copied streams could not be copied and was left out.
    private(set) var damage = Damage()

    private let onWarning: @Sendable (String) -> Void
    private let container: OutputContainer
    private let encoder: Encoder
    private let pixelFormats: PixelFormatChoice
    private let alpha: AlphaKind
    private let videoIndex: Int
    /// The output's stream for each of the input's that is copied.
    private let copiedIndexes: [Int: Int]
    /// Copied streams without a packet so far whose beginning is told if it is not where it should be, by their numbers in the input.
    private var awaited: [Int: StreamDescription]
    /// What turns a stream's packets into those of another codec, by the number of the input's stream.
    private let converters: [Int: SubtitleConverter]
    private let sound: BackgroundSound?
    private let soundIndex: Int
    private let input: InputFacts
    /// Where chapters come from, if there are any.
    private let chapters: (input: InputContainer, clip: Clip)?

    private var exporter: FrameExporter?
    /// What came before the first frame, and the cover pictures.
    private var waiting: [Packet]
    private var durations: [Int64: Int64] = [:]
    /// When the first frame is shown, in units of the input.
    private var origin: Int64?
    /// The same in seconds.
    private var firstTime = 0.0
    private var firstPTS: Int64?
    /// Where frames lie by their rate; nil where their times are told as they are.
    private var grid: FrameGrid?
    /// When the last frame of a GIF is shown, in hundredths of a second.
    private var lastShown: Int64?
    private var lastPTS: Int64?
    private var lastDuration: Int64 = 0
    /// Seconds at which what was written is over.
    private var end = 0.0
    private var frameCount: Int64 = 0
    private var spacing = FrameSpacing()
    private var pictureChange: PictureChange?
    private var warned: Set<Warning> = []
    private var isOver = false

    /// Seconds that nobody notices.
    private static let bearableDelay = 0.045

    private enum Warning { case frameTimes, frameRate, packetTimes, captions }

    /// Makes the file under its temporary name and settles all that can be settled before the first frame.
    ///
    /// The container follows from the settings or the name. Streams, metadata and chapters are those of `reader`; `onWarning` gets a sentence
    /// for each stream that can't be held and for what must be mended, from the thread that calls.
    /// - Throws: `.usage` for a container, encoder or option that doesn't exist or doesn't fit, `.cannotCreate` where the
    ///   file may not or can't be made.
    init(
        path: String, settings: EncoderSettings, reader: MediaReader, sound: BackgroundSound?, overwrite: Bool,
        onWarning: @escaping @Sendable (String) -> Void
    ) throws(MediaError) {
        self.path = path
        self.onWarning = onWarning
        alpha = settings.alpha
        let format = try OutputContainer.format(named: settings.format, for: path, inputFormat: reader.formatName)
        let codec = try EncoderChoice.codec(settings, in: format, path: path)
        pixelFormats = try PixelFormatChoice(codec, in: format, settings: settings, file: path)
        encoder = try Encoder(
            codec, settings: settings, allowsReordering: EncoderTiming.allowsReordering(in: format), file: path)
        let source = reader.source
        container = try OutputContainer(
            path: path, format: format, input: source.container.file, overwrite: overwrite)

        let plan = StreamPlan(
            source.container, video: source.stream, size: (reader.video.width, reader.video.height),
            codec: codec.pointee.id, format: format, path: path, sound: sound?.stream)
        if let sound, plan.sound == nil {
            throw MediaError(
                kind: .usage, file: path, operation: "create",
                cause: "\(format.name) can't hold the sound of \(sound.path), which is "
                    + StreamDescription(sound.stream).codecName,
                advice: "name the output .mkv, or leave --background-audio out")
        }
        self.sound = sound
        converters = plan.converters
        chapters = source.container.context.pointee.nb_chapters > 0 ? (source.container, source.clip) : nil
        input = InputFacts(reader)
        do {
            let layout = try plan.addStreams(of: source, to: container.context)
            (videoIndex, copiedIndexes, waiting) = (layout.video, layout.copies, layout.covers)
            awaited = Self.awaited(of: plan.copies, beginsLater: input.beginsLater, in: container.format)
            soundIndex = Int(container.context.pointee.nb_streams)
            try plan.sound?.add(to: container.context, isWhole: false)
            try FileMetadata.copy(from: source.container.context, to: container.context)
            try source.advanceTimeCode(&container.context.pointee.metadata)
            if !container.takesLateChapters {
                try FileMetadata.copyChapters(
                    from: source.container.context, clip: source.clip, to: container.context)
            }
        } catch {
            throw MediaError(error, kind: .internal, file: path, operation: "create")
        }
        // Copied packets wait in the muxer for the video that lies in the encoder, 64 frames at most.
        let rate = reader.video.frameRate.value
        let held = rate > 0 ? Int64(64 / rate * Double(AV_TIME_BASE)) : 0
        container.context.pointee.max_interleave_delta = max(10 * Int64(AV_TIME_BASE), held)
        for warning in plan.warnings { onWarning(warning) }
        if chapters != nil, !container.holdsChapters {
            onWarning("the chapters are left out, because \(format.name) can't hold them; .mkv can")
        }
    }

    deinit { discard() }

    /// Encodes a frame or writes a packet of a copied stream; packets of streams that are left out are passed over.
    ///
    /// - Throws: `.usage` where the encoder refuses the first frame, `.badData` for a damaged packet where the reader bears no
    ///   damage, `.io` where writing fails, `.readerGone` where nobody reads the stream any more.
    func write(_ item: MediaItem) throws(MediaError) {
        precondition(!isOver, "nothing can be written after finish() or discard()")
        switch item {
        case .runIn: break
        case .frame(let frame):
            if exporter == nil { try open(frame) }
            try encode(frame)
        case .packet(let packet):
            guard copiedIndexes[packet.streamIndex] != nil else { return }
            if exporter == nil { waiting.append(packet) } else { try copy(packet) }
        }
    }

    /// Drains the encoder, completes the file and gives it its final name; of a stream nothing is left to do afterwards.
    ///
    /// - Throws: `.badData` if no frame was ever written, `.io` where writing fails, `.readerGone` where nobody reads the
    ///   stream any more, `.cannotCreate` if the name was taken meanwhile. Nothing is left behind then.
    func finish() throws(MediaError) {
        precondition(!isOver, "a file is finished once")
        guard exporter != nil else {
            discard()
            throw MediaError(kind: .badData, file: path, operation: "write", cause: "there was no frame to write")
        }
        do throws(MediaError) {
            try encode(nil)
            try drain()
        } catch {
            discard()
            throw error
        }
        do {
            // A run may end before its input does, and chapters make the file as long as they are.
            if let chapters, container.takesLateChapters {
                try FileMetadata.copyChapters(
                    from: chapters.input.context, clip: chapters.clip, end: end,
                    tolerance: input.isLimited ? 0 : FileMetadata.chapterTolerance, to: container.context)
            }
        } catch {
            discard()
            throw MediaError(error, kind: .internal, file: path, operation: "write")
        }
        for stream in awaited.values.sorted(by: { $0.index < $1.index }) where stream.kind == .video {
            onWarning("\(stream) is empty, because no key frame of it came in what was written")
        }
        container.prepareEnd(lastDuration, encoder.timeBase)
        do {
            try container.finish()
        } catch {
            discard()
            throw error
        }
        discard()
    }

    /// Ends the wait for a stream's reader that takes nothing, from whatever thread.
    func interrupt() { container.interrupt() }

    /// Removes what was written, unless it is finished; of a stream nothing can be taken back.
    func discard() {
        isOver = true
        container.discard()
    }

    // MARK: Opening

    private func open(_ frame: VideoFrame) throws(MediaError) {
        let holdsRotation = OutputContainer.isQuickTimeFamily(container.format)
        let rotation: Orientation = holdsRotation ? .up : frame.orientation
        let source = FrameExporter.rotatedFormat(frame.pixelBuffer.format, by: rotation)
        let format = try EncoderFormat(
            codec: encoder.codec, choice: pixelFormats, frame: frame, rotation: rotation, own: try ownFormat(of: source)
        )
        if format.isWidenedForSize {
            onWarning(
                "\(pixelFormats.holder) can't hold \(source) at the odd size \(format.width)x\(format.height): it is "
                    + "written as \(format.pixelFormat.name), which some players can't show")
        }
        try openEncoder(format, frame: frame, rotation: rotation)
        do {
            try describeStream(format, frame: frame, holdsRotation: holdsRotation)
        } catch {
            throw MediaError(error, kind: .internal, file: path, operation: "create")
        }
        container.prepareLoop()
        container.prepareQuickTime(timeBase: encoder.timeBase, color: format.color)
        let logPosition = LibraryLog.position
        do {
            try container.writeHeader()
        } catch {
            throw MediaError(error, kind: .usage, file: path, operation: "create", detail: container.lastError)
        }
        // The muxers of AVI and QuickTime write raw frames of every format, and say of some that nobody can read them.
        guard
            !LibraryLog.hasError(
                from: UInt(bitPattern: container.context), containing: ["will be unreadable"], since: logPosition)
        else {
            throw MediaError(
                kind: .usage, file: path, operation: "create",
                cause: "\(container.format.name) can't hold raw frames of \(format.pixelFormat.name)",
                advice: "name the output .nut, or choose another --output-pix-fmt")
        }
        exporter = FrameExporter(format: format, rotation: rotation, alpha: alpha)
        pictureChange = PictureChange(from: frame)
        if let pts = frame.pts, TimeBounds.holdsTime(pts, frame.timeBase.av) {
            firstTime = Double(pts) * frame.timeBase.value
        }
        let early = waiting
        waiting = []
        for packet in early { try copy(packet) }
    }

    /// The format that a picture has by itself; raw frames that came in another one go out in it again, grey ones with colour added to them
    /// where nothing beside the frames would tell.
    ///
    /// - Throws: `.usage` where nothing can be converted to that, and nothing beside the frames tells what they are.
    private func ownFormat(of source: PixelFormat) throws(MediaError) -> AVPixelFormat {
        guard let raw = input.rawFormat, encoder.codec.pointee.id == AV_CODEC_ID_RAWVIDEO else { return source.av }
        let isSame = source == PixelFormat.lending(raw) ?? PixelFormat.nearest(to: raw)
        let hasGainedColor = raw.isGray && source.colorModel == .yuv && !source.hasAlphaPlane
        guard isSame || hasGainedColor && container.format.name == "rawvideo" else { return source.av }
        guard sws_isSupportedOutput(raw) == 0 else { return raw.withoutRange }
        guard container.format.name != "rawvideo" || pixelFormats.requested != nil else {
            throw MediaError(
                kind: .usage, file: path, operation: "create",
                cause: "nothing can be converted to raw frames of \(raw.name)",
                advice: "choose what they become with --output-pix-fmt")
        }
        return source.av
    }

    private func openEncoder(_ format: EncoderFormat, frame: VideoFrame, rotation: Orientation) throws(MediaError) {
        if encoder.name == "libx265" {
            encoder.addParameters(
                ["log-level=none"] + (input.lightLevels(of: format.color)?.x265Parameters ?? []), to: "x265-params")
        }
        let timeBase = EncoderTiming.timeBase(
            of: frame.timeBase.av, frameRate: countingRate, codec: encoder.codec.pointee.id, format: container.format)
        grid = EncoderTiming.grid(
            of: frame.timeBase.av, frameRate: input.gridRate, codec: encoder.codec.pointee.id, format: container.format)
        let properties = (frame.attachments as? FrameProperties)?.frame.pointer
        let isTopFieldFirst = properties.map { FFFrameIsTopFieldFirst($0) != 0 } ?? true
        let isInterlaced = properties.map { FFFrameIsInterlaced($0) != 0 && !rotation.swapsAxes } ?? false
        if isInterlaced, !encoder.codesFields, !encoder.isRaw, !container.tellsFieldOrder {
            onWarning(
                "that the frames are interlaced is left out, because \(container.format.name) can't tell it of "
                    + "\(encoder.name)'s; .mkv can")
        }
        warnOfFewerBits(format, source: frame.pixelBuffer.format)
        try encoder.open(
            format, timeBase: timeBase, frameRate: input.frameRate, isInterlaced: isInterlaced,
            isTopFieldFirst: isTopFieldFirst != FrameExporter.swapsFields(rotation, height: format.height),
            hasGlobalHeader: container.format.pointee.flags & AVFMT_GLOBALHEADER != 0)
    }

    // What somebody asked for needs no word.
    private func warnOfFewerBits(_ format: EncoderFormat, source: PixelFormat) {
        let bits = format.pixelFormat.bitDepth
        guard bits < source.bitDepth, !source.isFloatingPoint, pixelFormats.requested == nil else { return }
        let keepsAlpha = pixelFormats.keepsAlpha(of: source)
        let taken = keepsAlpha ? pixelFormats.accepted.filter(\.hasAlpha) : pixelFormats.accepted
        guard taken.allSatisfy({ $0.bitDepth <= bits }) else { return }
        let other = container.format.name == "webm" ? "libvpx-vp9" : "libx265 in .mkv"
        onWarning(
            "pixels keep \(bits) bits of more, because \(pixelFormats.holder) takes no more"
                + (keepsAlpha ? " with alpha; prores_ks in .mov does" : "; \(other) does"))
    }

    /// The rate of frames that are counted.
    private var countingRate: AVRational {
        container.format.isTimeless || EncoderTiming.leavesNoGaps(in: container.format)
            ? EncoderTiming.rate(average: input.frameRate, grid: input.gridRate, in: container.format) : input.gridRate
    }

    private func describeStream(_ format: EncoderFormat, frame: VideoFrame, holdsRotation: Bool) throws(AVError) {
        let stream = container.stream(videoIndex)
        try AVError.check(avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context))
        if encoder.codec.pointee.id == AV_CODEC_ID_HEVC, OutputContainer.isQuickTimeFamily(container.format) {
            // "hvc1": Apple's players take no other.
            stream.pointee.codecpar.pointee.codec_tag = 0x3163_7668
        }
        if encoder.codec.pointee.id == AV_CODEC_ID_RAWVIDEO, ["avi", "mov"].contains(container.format.name),
            !Self.isKnownToReaders(rawTag: stream.pointee.codecpar.pointee.codec_tag)
                || container.format.name == "mov" && format.pixelFormat == AV_PIX_FMT_GRAY8
        {
            // The muxer chooses a tag that tells the format, if there is one. By any other, grey is read from QuickTime as its negative.
            stream.pointee.codecpar.pointee.codec_tag = 0
            container.context.pointee.strict_std_compliance = FF_COMPLIANCE_NORMAL
        }
        stream.pointee.time_base = encoder.timeBase
        stream.pointee.avg_frame_rate = input.frameRate
        stream.pointee.sample_aspect_ratio = format.sampleAspectRatio.av
        for piece in input.lightLevels(of: format.color)?.sideData ?? [] { try piece.add(to: stream) }
        for piece in input.keptSideData(of: format.color) { try piece.add(to: stream) }
        if holdsRotation, let matrix = displayMatrix(of: frame) {
            let bytes = matrix.elements.withUnsafeBytes { Array($0) }
            try StreamSideData(type: AV_PKT_DATA_DISPLAYMATRIX, bytes: bytes).add(to: stream)
        }
    }

    /// Whether readers of AVI and QuickTime tell a format of raw frames by its tag, as they do by those of RIFF.
    private static func isKnownToReaders(rawTag: UInt32) -> Bool {
        let tags = [avformat_get_riff_video_tags(), nil]
        return av_codec_get_id(tags, rawTag) == AV_CODEC_ID_RAWVIDEO
    }

    /// The input's own matrix to the bit, as long as the frame is still turned the way that it says and has the size that it moves the
    /// picture by.
    private func displayMatrix(of frame: VideoFrame) -> DisplayMatrix? {
        if let matrix = input.displayMatrix, frame.orientation == input.orientation,
            (frame.pixelBuffer.width, frame.pixelBuffer.height) == input.size
        {
            return matrix
        }
        return frame.orientation == .up ? nil : DisplayMatrix(frame.orientation)
    }

    // MARK: On the way

    private func encode(_ frame: VideoFrame) throws(MediaError) {
        guard let exporter else { return }
        for change in pictureChange?.warnings(of: frame) ?? [] { onWarning(change) }
        let properties = frame.attachments as? FrameProperties
        if properties?.frame.sideData(AV_FRAME_DATA_A53_CC) != nil, !encoder.holdsCaptions {
            warnOnce(
                .captions,
                "the closed captions are left out, because \(encoder.name) can't hold them; --codec h264 can")
        }
        let (pts, duration) = time(of: frame)
        guard !isTooSoon(pts) else {
            return warnOnce(.frameRate, "gif can't show more than 50 frames a second: the others are left out")
        }
        let target: FrameReference
        do {
            target = try exporter.makeFrame(frame, pts: pts, duration: duration)
        } catch {
            throw encodingFailure(error)
        }
        durations[pts] = duration
        try encode(target)
        try drain()
        try play(until: pts + duration)
    }

    /// Writes the background's sound from the first frame up to `end` of the video, in units of the encoder.
    private func play(until end: Int64) throws(MediaError) {
        guard let sound, let firstPTS else { return }
        let unit = av_q2d(encoder.timeBase)
        while let packet = try sound.next(from: Double(firstPTS) * unit, before: Double(end) * unit) {
            do {
                _ = try container.write(packet, to: soundIndex)
            } catch {
                throw MediaError(error, kind: .io, file: path, operation: "write", detail: container.lastError)
            }
        }
    }

    /// When the frame is shown and for how long, in units of the encoder; time always grows.
    private func time(of frame: VideoFrame) -> (pts: Int64, duration: Int64) {
        if container.format.isTimeless { return place(of: frame) }
        let timeBase = encoder.timeBase
        let rate = input.frameRate
        let isMeant = TimeBounds.holdsDuration(frame.duration, frame.timeBase.av)
        var duration = isMeant ? av_rescale_q(frame.duration, frame.timeBase.av, timeBase) : 0
        duration = grid?.place(duration) ?? duration
        if duration <= 0, rate.num > 0 {
            duration = max(1, av_rescale_q(1, AVRational(num: rate.den, den: rate.num), timeBase))
        }
        var pts = encoderTime(of: frame) ?? (lastPTS ?? 0) + lastDuration
        if EncoderTiming.leavesNoGaps(in: container.format) {
            (pts, duration) = ((firstPTS ?? pts) + place(of: frame).pts, 1)
        }
        if let lastPTS, pts <= lastPTS {
            pts = lastPTS + 1
            let time = (Double(pts) * av_q2d(timeBase) * 1000).rounded() / 1000
            warnOnce(.frameTimes, "frames whose time did not grow were moved, the first of them to \(time) s")
        }
        firstPTS = firstPTS ?? pts
        end = max(end, Double(pts + duration) * av_q2d(timeBase))
        (lastPTS, lastDuration) = (pts, duration)
        return (pts, duration)
    }

    /// Whether a frame of a GIF would let the one before it be seen for less than the two hundredths of a second that players take at
    /// their word; a shorter time they make ten.
    private func isTooSoon(_ pts: Int64) -> Bool {
        guard container.format.name == "gif" else { return false }
        let time = av_rescale_q(pts, encoder.timeBase, AVRational(num: 1, den: 100))
        if let lastShown, time - lastShown < 2 { return true }
        lastShown = time
        return false
    }

    /// The frame's time in units of the encoder. Where those are coarse it is the distance from the first frame that is rounded: frames
    /// that all lie between two of them would else go to the one before or to that behind.
    private func encoderTime(of frame: VideoFrame) -> Int64? {
        guard let pts = frame.pts, TimeBounds.holdsTime(pts, frame.timeBase.av) else { return nil }
        let first = origin ?? pts
        origin = first
        guard let start = TimeBounds.rescaled(first, from: frame.timeBase.av, to: encoder.timeBase),
            let distance = TimeBounds.rescaled(pts - first, from: frame.timeBase.av, to: encoder.timeBase)
        else { return nil }
        return start + (grid?.place(distance) ?? distance)
    }

    /// The frame's number, where frames have no times.
    private func place(of frame: VideoFrame) -> (pts: Int64, duration: Int64) {
        spacing.note(frame.pts.flatMap { TimeBounds.holdsTime($0, frame.timeBase.av) ? $0 : nil })
        if !spacing.isConstant { warnOfVaryingRate() }
        defer { frameCount += 1 }
        return (frameCount, 1)
    }

    private func warnOfVaryingRate() {
        warnOnce(
            .frameTimes,
            "the frame rate varies, which \(container.format.name) can't tell: the frames are written one by one")
    }

    private func encode(_ frame: FrameReference?) throws(MediaError) {
        do {
            try encoder.send(frame)
        } catch {
            throw encodingFailure(error)
        }
    }

    private func drain() throws(MediaError) {
        while let packet = try encodedPacket() {
            packet.pointer.pointee.time_base = encoder.timeBase
            packet.pointer.pointee.duration = durations.removeValue(forKey: packet.pointer.pointee.pts) ?? lastDuration
            do {
                if try container.write(packet, to: videoIndex) {
                    warnOnce(.frameTimes, "frames whose time did not grow were moved")
                }
            } catch {
                throw MediaError(error, kind: .io, file: path, operation: "write", detail: container.lastError)
            }
        }
    }

    private func encodedPacket() throws(MediaError) -> Packet? {
        do {
            return try encoder.receive()
        } catch {
            throw encodingFailure(error)
        }
    }

    private func encodingFailure(_ error: AVError) -> MediaError {
        MediaError(error, kind: .internal, file: path, operation: "encode", detail: encoder.lastError)
    }

    // Video begins with a key frame, and in some containers sound begins with the first frame.
    private static func awaited(
        of copies: [StreamCopy], beginsLater: Bool, in format: UnsafePointer<AVOutputFormat>
    ) -> [Int: StreamDescription] {
        let streams = copies.filter(\.hasPackets).map { StreamDescription($0.source) }.filter {
            beginsLater && $0.kind == .video || EncoderTiming.beginsTogether(in: format) && $0.kind == .audio
        }
        return Dictionary(uniqueKeysWithValues: streams.map { ($0.index, $0) })
    }

    private func tellStart(of packet: Packet) {
        guard let stream = awaited.removeValue(forKey: packet.streamIndex), let time = packet.start else { return }
        let delay = time - firstTime
        let words = "\((abs(delay) * 100).rounded() / 100) s"
        let name = container.format.name
        if stream.kind == .video, delay > Self.bearableDelay {
            onWarning("\(stream) begins \(words) late, at its first key frame in the part that was asked for")
        } else if stream.kind == .audio, delay > Self.bearableDelay {
            onWarning(
                "\(stream) is heard \(words) too soon, because \(name) can't tell that it begins later; .mkv can")
        } else if stream.kind == .audio, delay < -Self.bearableDelay, EncoderTiming.leavesNoGaps(in: container.format) {
            onWarning(
                "\(stream) is heard \(words) too late, because \(name) can't tell that the video begins later; "
                    + ".mkv can")
        }
    }

    private func copy(_ packet: Packet) throws(MediaError) {
        guard let index = copiedIndexes[packet.streamIndex] else { return }
        tellStart(of: packet)
        // The muxer takes the packet over.
        let (stream, time, packetEnd) = (packet.streamIndex, packet.start, packet.end)
        do {
            guard let packet = try converted(packet) else { return }
            if try container.write(packet, to: index) {
                warnOnce(.packetTimes, "packets of copied streams whose time did not grow were moved")
            }
        } catch {
            guard error.code == FFErrorInvalidData else {
                throw MediaError(error, kind: .io, file: path, operation: "write", detail: container.lastError)
            }
            return try noteDamage(error, stream: stream, time: time)
        }
        end = max(end, packetEnd ?? 0)
    }

    /// The packet in the codec that the output has it in; nil where there is nothing to be seen.
    private func converted(_ packet: Packet) throws(AVError) -> Packet? {
        guard let converter = converters[packet.streamIndex] else { return packet }
        return try converter.convert(packet)
    }

    /// Counts a packet that the muxer could make nothing of; ends the run where no damage is borne.
    private func noteDamage(_ error: AVError, stream: Int, time: Double?) throws(MediaError) {
        damage.firstTime = damage.packetCount == 0 ? time.map { $0 + input.offset } : damage.firstTime
        damage.packetCount += 1
        guard input.isStrict else { return }
        throw MediaError(
            kind: .badData, file: input.path, operation: "read",
            cause: "stream \(stream) \(damage.place): \(error.description)",
            advice: "leave --strict out to pass over it")
    }

    private func warnOnce(_ kind: Warning, _ text: @autoclosure () -> String) {
        guard warned.insert(kind).inserted else { return }
        onWarning(text())
    }
}
