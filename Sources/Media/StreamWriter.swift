import CFFmpeg
import Imaging

/// Writes a container: encodes pictures, and copies the packets of all other streams bit for bit, but for subtitles of text that it
/// holds in another codec.
///
/// A file lies under a temporary name beside its final one until `finish()`. Where a container can't hold the times before 0 at
/// which the priming of audio lies (AVI, MPEG-TS, and Matroska for all but Opus, whose delay it tells), all streams move
/// together by that much, and to 0 where it can't hold another beginning (AVI, MXF, GXF, DV, RealMedia, SWF). The encoder is
/// opened by the first frame. The reader that it was made with may go on in another thread.
final class StreamWriter {
    /// What of the copied streams could not be copied and was left out.
    var damage: Damage { copied.damage }

    private let path: String
    private let container: OutputContainer
    private let encoder: Encoder
    private let encoded: EncodedStream
    private let copied: CopiedStreams
    private let sound: BackgroundSound?
    private let soundIndex: Int
    private let input: InputFacts
    private let warnings: Warnings
    /// Where chapters come from, if there are any.
    private let chapters: (input: InputContainer, clip: Clip)?

    // From the first frame on.
    private var exporter: FrameExporter?
    private var times: FrameTimes?
    private var pictureChange: PictureChange?
    /// How long the frames are shown that lie in the encoder, by their times.
    private var durations: [Int64: Int64] = [:]
    /// Frames that were given to the encoder.
    private(set) var frameCount = 0
    private var isOver = false

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
        warnings = Warnings(onWarning)
        let format = try OutputContainer.format(named: settings.format, for: path, inputFormat: reader.formatName)
        let codec = try EncoderChoice.codec(settings, in: format, path: path)
        let pixelFormats = try PixelFormatChoice(codec, in: format, settings: settings, file: path)
        encoder = try Encoder(
            codec, settings: settings, allowsReordering: ContainerTiming(format).allowsReordering, file: path)
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
        chapters = source.container.context.pointee.nb_chapters > 0 ? (source.container, source.clip) : nil
        input = InputFacts(reader)
        do {
            let layout = try plan.addStreams(of: source, to: container.context)
            encoded = EncodedStream(
                container: container, encoder: encoder, pixelFormats: pixelFormats, alpha: settings.alpha,
                index: layout.video, input: input, warnings: warnings)
            copied = CopiedStreams(
                plan, indexes: layout.copies, covers: layout.covers, input: input, container: container,
                warnings: warnings)
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
        for warning in plan.warnings { warnings(warning) }
        if chapters != nil, !container.holdsChapters {
            warnings("the chapters are left out, because \(format.name) can't hold them; .mkv can")
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
        case .packet(let packet): try copied.write(packet)
        }
    }

    /// Drains the encoder, completes the file and gives it its final name; of a stream nothing is left to do afterwards.
    ///
    /// - Throws: `.badData` if no frame was ever written, `.io` where writing fails, `.readerGone` where nobody reads the
    ///   stream any more, `.cannotCreate` if the name was taken meanwhile. Nothing is left behind then.
    func finish(unless isCancelled: () -> Bool) throws(MediaError) -> Bool {
        precondition(!isOver, "a file is finished once")
        defer { discard() }
        guard let times else {
            throw MediaError(kind: .badData, file: path, operation: "write", cause: "there was no frame to write")
        }
        try encode(nil)
        try drain()
        try writeLateChapters(until: max(times.end, copied.end))
        copied.finish()
        container.prepareEnd(times.lastDuration, encoder.timeBase)
        return try container.finish(unless: isCancelled)
    }

    /// A run may end before its input does, and chapters make the file as long as they are.
    private func writeLateChapters(until end: Double) throws(MediaError) {
        guard let chapters, container.takesLateChapters else { return }
        do {
            try FileMetadata.copyChapters(
                from: chapters.input.context, clip: chapters.clip, end: end,
                tolerance: input.isLimited ? 0 : FileMetadata.chapterTolerance, to: container.context)
        } catch {
            throw MediaError(error, kind: .internal, file: path, operation: "write")
        }
    }

    /// What ends the wait for a stream's reader that takes nothing.
    var interrupter: Interrupter { container.interrupter }

    /// Removes what was written, unless it is finished; of a stream nothing can be taken back.
    func discard() {
        isOver = true
        container.discard()
    }

    private func open(_ frame: VideoFrame) throws(MediaError) {
        (exporter, times) = try encoded.open(for: frame)
        pictureChange = PictureChange(from: frame)
        let time = frame.pts.flatMap { TimeBounds.holdsTime($0, frame.timeBase.av) ? $0 : nil }
        try copied.begin(at: time.map { Double($0) * frame.timeBase.value } ?? 0)
    }

    private func encode(_ frame: VideoFrame) throws(MediaError) {
        guard let exporter else { return }
        for change in pictureChange?.warnings(of: frame) ?? [] { warnings(change) }
        let properties = frame.attachments as? FrameProperties
        if properties?.frame.sideData(AV_FRAME_DATA_A53_CC) != nil, !encoder.holdsCaptions {
            warnings.once(
                .captions,
                "the closed captions are left out, because \(encoder.name) can't hold them; --codec h264 can")
        }
        guard let (pts, duration) = times?.next(frame) else { return }
        let target: FrameReference
        do {
            target = try exporter.makeFrame(frame, pts: pts, duration: duration)
        } catch {
            throw encodingFailure(error)
        }
        frameCount += 1
        durations[pts] = duration
        try encode(target)
        try drain()
        try play(until: pts + duration)
    }

    /// Writes the background's sound from the first frame up to `end` of the video, in units of the encoder.
    private func play(until end: Int64) throws(MediaError) {
        guard let sound, let first = times?.first else { return }
        let unit = av_q2d(encoder.timeBase)
        while let packet = try sound.next(from: Double(first) * unit, before: Double(end) * unit) {
            do {
                _ = try container.write(packet, to: soundIndex)
            } catch {
                throw MediaError(error, kind: .io, file: path, operation: "write", detail: container.lastError)
            }
        }
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
            packet.pointer.pointee.duration =
                durations.removeValue(forKey: packet.pointer.pointee.pts) ?? times?.lastDuration ?? 0
            do {
                if try container.write(packet, to: encoded.index) {
                    warnings.once(.frameTimes, "frames whose time did not grow were moved")
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
}
