import CFFmpeg
import Glibc
import Imaging

/// Demuxes and decodes the wanted part of a file: the machine inside `MediaReader`.
final class ClipSource {
    private enum Phase {
        /// A search has found a place amid pictures that need others before them.
        case awaitingKeyFrame
        case decoding
        /// The last frame has come; other streams may lag behind.
        case trailing
        case done
    }

    /// Seconds before the start at which decoding begins, tried in turn until a frame at or before the start comes out.
    ///
    /// Indexes tell decoding times, so the key frame that a seek finds may be shown after the time that was asked for.
    private static let seekMargins = [0.5, subtitleLength]
    /// Seconds that a subtitle is shown at most, but for rare ones.
    private static let subtitleLength = 10.0
    /// By how many seconds an input may end before its header's time: the lengths of packets are not always known.
    private static let endTolerance = 0.5
    /// How far other streams may lag behind the last frame, in seconds.
    private static let trailingLag = 10.0

    let container: InputContainer
    let stream: UnsafeMutablePointer<AVStream>
    let streams: [StreamDescription]
    let importer: FrameImporter
    let options: MediaReader.Options
    private(set) var clip: Clip
    private(set) var damage = Damage()
    /// Frames that came out with a word of their damage in them.
    private var flaggedCount = 0
    /// What the decoder told of frames before the first that is wanted.
    private var passedOverCount = 0
    /// Why reading ended, where no damage is borne.
    private var damageFailure: MediaError?
    /// What an image file carries beside its picture, as far as its own bytes tell; nil for videos.
    private(set) var imageMetadata: ImageMetadata?
    /// Frames that came out, those before the start not counted.
    private(set) var frameCount = 0

    /// Where the log stood before the file was opened.
    private let logPosition = LibraryLog.position
    private let decoder: Decoder
    private var joiner: TimelineJoiner?
    private var phase = Phase.decoding
    private var ready: [MediaItem] = []
    private var readyIndex = 0
    /// Packets whose fate hangs on a frame that has not come yet.
    private var held: [Packet] = []
    /// Whether nothing of the file is wanted any more.
    private var isPhotographRead = false
    private var pastEnd: Set<Int> = []
    /// The first decoded frame's time, wanted or not.
    private var firstTime: Int64?
    private var nextTime: Int64?
    /// Where the packets that were read end, in seconds of the file's own times.
    private var readEnd = 0.0

    /// A sentence for each option that the input itself overrules.
    let setAside: [String]

    private var path: String { container.path }
    private var videoIndex: Int { Int(stream.pointee.index) }

    /// Opens the file and goes to where decoding must begin; `origin` is the file's time of the first wanted frame, which the
    /// run-in of `options` needs.
    static func open(
        path: String, options: MediaReader.Options, origin: Int64? = nil
    ) throws(MediaError) -> ClipSource {
        let source = try ClipSource(path: path, options: options, origin: origin)
        if try source.seek() { return source }
        // The first time that a file tells is not where a search begins, and a search in vain leaves the file anywhere.
        return try ClipSource(path: path, options: options, origin: origin)
    }

    private init(path: String, options: MediaReader.Options, origin: Int64?) throws(MediaError) {
        var options = options
        if let camera = try VideoDevice.find(path, as: .camera) {
            container = try InputContainer(camera: camera, path: path, wish: CameraWish(options, path: path))
            options.isLive = true
        } else {
            container = try InputContainer(path: path, format: InputFormat(options, path: path), limits: options.limits)
        }
        self.options = options
        stream = try container.videoStream(options.stream)
        let parameters = stream.pointee.codecpar.pointee
        try options.limits.check(width: Int(parameters.width), height: Int(parameters.height), file: path)
        setAside = try ColorTags(options, path: path).complete(stream)
        if container.isCamera, stream.pointee.codecpar.pointee.color_space == AVCOL_SPC_UNSPECIFIED {
            // What Video4Linux2 means by its default colours, whatever the size.
            stream.pointee.codecpar.pointee.color_space = AVCOL_SPC_SMPTE170M
        }
        streams = container.streams.map { StreamDescription($0) }
        let frameRate = container.frameRate(of: stream)
        importer = FrameImporter(container: container, stream: stream, addition: options.addition)
        clip = Clip(
            timeBase: stream.pointee.time_base, start: options.start.flatMap { $0 > 0 ? $0 : nil },
            duration: options.duration, fileStart: container.startTime,
            shift: container.isCamera ? nil : container.hasArbitraryTimeline ? container.startTime : 0,
            runIn: options.runIn, origin: origin)
        decoder = try Decoder(
            stream: stream, frameRate: frameRate, threads: options.threads, isLive: options.isLive,
            isStrict: options.isStrict,
            hardware: HardwareDecoding(options), limits: options.limits, file: path)
        joiner = container.hasArbitraryTimeline ? TimelineJoiner() : nil
    }

    /// The next item; nil at the end.
    ///
    /// - Throws: for a camera also where none of its pictures can be decoded.
    func next() throws(MediaError) -> MediaItem? {
        let start = ContinuousClock.now
        while readyIndex == ready.count {
            ready.removeAll(keepingCapacity: true)
            readyIndex = 0
            guard phase != .done else { return nil }
            try advance()
            if ready.isEmpty, phase != .done { try refuseSilence(since: start) }
        }
        defer { readyIndex += 1 }
        return ready[readyIndex]
    }

    /// A camera whose pictures can't be decoded is as good as one that gives none.
    private func refuseSilence(since start: ContinuousClock.Instant) throws(MediaError) {
        guard case .camera(let camera) = container.source,
            start.duration(to: .now) > .milliseconds(CaptureDevice.patience)
        else { return }
        throw camera.failure(.system(ETIMEDOUT))
    }

    /// Ends the reading and lets a camera go.
    func close() {
        (phase, ready, readyIndex) = (.done, [], 0)
        if case .camera(let camera) = container.source { camera.close() }
    }

    /// Whether frames were decoded, but none that is wanted.
    var isPastTheEnd: Bool { phase == .done && frameCount == 0 && firstTime != nil }

    /// Why not one frame was decoded, as the hardware's decoder that was asked for by name tells it.
    var decodingFailure: MediaError? {
        guard let name = options.decoder, let codec = avcodec_find_decoder_by_name(name),
            codec.runsOnHardware, let words = decoder.firstError
        else { return nil }
        return MediaError(
            kind: .unavailable, file: path, operation: "decode", cause: "the decoder \(decoder.name) fails: \(words)",
            advice: "install its driver, or leave --decoder out")
    }

    /// The pictures' size, where not one frame was decoded because it is above the limit.
    var sizeFailure: MediaError? { options.limits.refusal(since: logPosition, file: path) }

    /// Has the time code in `metadata` begin with the first wanted frame.
    func advanceTimeCode(_ metadata: inout OpaquePointer?) throws(AVError) {
        let first = stream.pointee.start_time
        let elapsed = first == FFNoTimestamp ? clip.offset : clip.elapsed(since: first)
        guard elapsed > 0 else { return }
        try TimeCode.advance(&metadata, by: elapsed, rate: container.frameRate(of: stream))
    }

    // MARK: Beginning

    /// Searches for a place from which the first needed frame comes out; false where there is none.
    ///
    /// What can't be searched is read from its beginning, where it stands.
    private func seek() throws(MediaError) -> Bool {
        guard let start = clip.firstNeeded, container.isSearchable else { return true }
        for margin in seekMargins {
            let target = start - TimeBounds.units(margin, stream.pointee.time_base)
            guard container.seek(stream, to: target) else { continue }
            restart()
            while firstTime == nil, phase != .done { try advance() }
            if let firstTime, firstTime <= start { return true }
        }
        return false
    }

    /// The margins that this file is tried with.
    ///
    /// Matroska's subtitles lie where they begin, and no search for pictures finds those that are still to be seen.
    private var seekMargins: [Double] {
        let hasSubtitles = container.formatName.hasPrefix("matroska") && streams.contains { $0.kind == .subtitle }
        return hasSubtitles ? [Self.subtitleLength] : Self.seekMargins
    }

    private func restart() {
        decoder.flush()
        clip.restart()
        if joiner != nil { joiner = TimelineJoiner() }
        (phase, ready, readyIndex, held, pastEnd) = (.awaitingKeyFrame, [], 0, [], [])
        (firstTime, nextTime, frameCount, damage) = (nil, nil, 0, Damage())
        (flaggedCount, passedOverCount) = (0, decoder.damagedCount)
        (isPhotographRead, readEnd) = (false, 0)
    }

    // MARK: On the way

    /// Does one step: takes a frame out of the decoder or hands a packet on.
    private func advance() throws(MediaError) {
        do {
            switch phase {
            case .awaitingKeyFrame: try awaitKeyFrame()
            case .decoding: try decode()
            case .trailing: try trail()
            case .done: break
            }
        } catch {
            if let failure = damageFailure ?? decoder.hardwareFailure(file: path) { throw failure }
            if case .camera(let camera) = container.source { throw camera.failure(error) }
            throw MediaError(error, kind: .io, file: path, operation: "read")
        }
    }

    private func awaitKeyFrame() throws(AVError) {
        guard let packet = try demux() else { return finish() }
        let isVideo = packet.streamIndex == videoIndex
        // On a timeline that may start anywhere a time that isn't told is a guess, which may be wrong behind a cut.
        let isTold = packet.pts != nil || joiner == nil
        guard !isVideo || isTold && packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 else { return }
        join(packet)
        guard isVideo else { return take(packet) }
        phase = .decoding
        try send(packet)
    }

    private func decode() throws(AVError) {
        let outcome: Decoder.Outcome
        do {
            outcome = try decoder.receive()
        } catch {
            return try noteDamage(error)
        }
        switch outcome {
        case .frame(let frame): try take(frame)
        case .needsPacket: try feed()
        case .end:
            try noteConcealment()
            finish()
        }
    }

    private func feed() throws(AVError) {
        let packet = isPhotographRead ? nil : try read()
        isPhotographRead = container.isPhotograph
        if let packet, packet.streamIndex != videoIndex { return take(packet) }
        if let packet, container.isImage, imageMetadata == nil {
            // FFmpeg's demuxers hand an image file out as one packet.
            imageMetadata = ImageMetadata(file: packet.bytes)
            importer.fallbackOrientation = ImageMetadata.orientation(file: packet.bytes)
        }
        try send(packet)
    }

    private func send(_ packet: Packet?) throws(AVError) {
        do {
            try decoder.send(packet)
        } catch {
            try noteDamage(error)
        }
    }

    /// A damaged packet is passed over; a lack of memory and hardware that can't go on end the reading.
    private func noteDamage(_ error: AVError) throws(AVError) {
        guard error != .outOfMemory, decoder.hardwareFailure(file: path) == nil else { throw error }
        guard !isBeforeStart else { return }
        try note(error.description) { $0.packetCount += 1 }
    }

    /// Whether all that was read so far ends before the start that was asked for: what is wrong there is no matter.
    private var isBeforeStart: Bool {
        guard clip.origin == nil, let start = clip.start else { return false }
        return readEnd <= Double(start) * av_q2d(clip.timeBase)
    }

    /// Remembers that the input ended before the time that its header tells.
    private func noteEnd() throws(AVError) {
        guard let told = container.toldDuration, clip.end == nil else { return }
        // Some muxers count from the first time stamp and some from 0.
        guard told - max(readEnd, readEnd - container.startSeconds) > Self.endTolerance else { return }
        let found = max(0, readEnd - container.startSeconds)
        try note("it ends here, while its header tells \(Damage.text(told)) s") {
            $0.missingEnd = .init(found: found, told: told)
        }
    }

    /// Counts damage at the place that the reading has come to; ends the reading where none is borne.
    private func note(_ cause: String, _ count: (inout Damage) -> Void) throws(AVError) {
        // What an interrupt cuts off is not the input's fault.
        guard !container.source.isInterrupted else { return }
        let time = nextTime.map { max(0, Double($0) * av_q2d(stream.pointee.time_base) - container.startSeconds) }
        damage.note(at: time)
        count(&damage)
        guard options.isStrict else { return }
        damageFailure = MediaError(
            kind: .badData, file: path, operation: "decode", cause: "the video \(damage.place): \(cause)",
            advice: "leave --strict out to pass over it")
        throw AVError(code: FFErrorInvalidData)
    }

    /// The next packet of any stream, on the joined timeline; nil at the end.
    private func read() throws(AVError) -> Packet? {
        guard let packet = try demux() else { return nil }
        join(packet)
        return packet
    }

    private func join(_ packet: Packet) {
        let kind = container.stream(packet.streamIndex).pointee.codecpar.pointee.codec_type
        joiner?.join(packet, isContinuous: kind == AVMEDIA_TYPE_AUDIO || kind == AVMEDIA_TYPE_VIDEO)
    }

    /// The next packet of any stream with the times that the file tells; nil at the end.
    private func demux() throws(AVError) -> Packet? {
        let packet = try Packet()
        guard try container.readPassingDamage(into: packet, onDamage: noteDamage) else {
            try noteEnd()
            return nil
        }
        readEnd = max(readEnd, packet.end ?? .infinity)
        return packet
    }

    private func take(_ frame: FrameReference) throws(AVError) {
        let interval = importer.frameInterval
        let pts = frame.time(stream.pointee.time_base) ?? nextTime ?? 0
        let duration = frame.duration(stream.pointee.time_base)
        nextTime = pts + (duration > 0 ? duration : interval)
        if firstTime == nil { firstTime = pts }
        guard let time = clip.place(pts) else { return passOverDamage() }
        if let end = clip.end, time >= end { return endVideo() }
        let image = try importer.makeFrame(frame, pts: time)
        if clip.isRunIn(time) {
            passOverDamage()
            return ready.append(.runIn(image))
        }
        if frame.pointer.pointee.decode_error_flags != 0 { flaggedCount += 1 }
        try noteConcealment()
        frameCount += 1
        ready.append(.frame(image))
        let isLast = options.frameLimit.map { frameCount >= $0 } ?? false
        if isLast { clip.stop(at: time + (duration > 0 ? duration : interval)) }
        release(until: time)
        if isLast { endVideo() }
    }

    /// Counts the frames that the decoder has told to be damaged, in them or beside them: its threads may do the one too late, and some
    /// decoders never do.
    private func noteConcealment() throws(AVError) {
        let told = min(decoder.damagedCount - passedOverCount, frameCount + 1)
        let count = max(flaggedCount, told)
        guard count > damage.concealedFrameCount else { return }
        try note("parts of a frame are missing") { $0.concealedFrameCount = count }
    }

    /// What is wrong with frames that nobody wants is no matter.
    private func passOverDamage() { passedOverCount = decoder.damagedCount }

    private func endVideo() {
        phase = .trailing
        release(until: nil)
    }

    private func finish() {
        phase = .done
        release(until: nil)
    }

    // MARK: Other streams

    private func take(_ packet: Packet) {
        // What can't be sought gives all that lies before the start.
        if clip.origin == nil, clip.isBeforeStart(packet) { return }
        // Before the first frame is known nothing can be placed; with a limit, where the end lies shows only on the way.
        if clip.origin == nil || options.frameLimit != nil { return held.append(packet) }
        emit(packet)
    }

    /// Lets go the packets that lie before `time` of the output, with nil all of them; those of a stream keep their order.
    ///
    /// What may last longer than the last frame, but audio, stays until it is known when that is over.
    private func release(until time: Int64?) {
        guard let origin = clip.origin, !held.isEmpty else { return }
        guard let limit = options.frameLimit, let time else {
            for packet in held { emit(packet) }
            return held.removeAll()
        }
        let unit = av_q2d(clip.timeBase)
        let start = Double(time + origin) * unit
        // If frames go on at their usual distance.
        let end = start + (Double(limit) - Double(frameCount) + 1) * Double(importer.frameInterval) * unit
        var waiting: Set<Int> = []
        held = held.filter { packet in
            let index = packet.streamIndex
            let isAudio = streams.indices.contains(index) && streams[index].kind == .audio
            let isEarly = packet.start ?? 0 > start || !isAudio && packet.end ?? 0 > end
            if isEarly || waiting.contains(index) {
                waiting.insert(index)
                return true
            }
            emit(packet)
            return false
        }
    }

    private func emit(_ packet: Packet) {
        let index = packet.streamIndex
        let kind = streams.indices.contains(index) ? streams[index].kind : .unknown
        // A cover picture is a property of the file; the writer takes it from there.
        guard !container.stream(index).isCoverPicture else { return }
        if clip.place(packet, kind: kind) { return ready.append(.packet(packet)) }
        if clip.isPastEnd(packet, kind: kind) { pastEnd.insert(index) }
    }

    /// Reads on until audio and other video have reached the end of the last frame.
    private func trail() throws(AVError) {
        let lagging = streams.contains { stream in
            (stream.kind == .audio || stream.kind == .video) && stream.index != videoIndex
                && !container.stream(stream.index).isCoverPicture && !pastEnd.contains(stream.index)
        }
        guard lagging, let packet = try read() else { return finish() }
        if packet.streamIndex != videoIndex { return emit(packet) }
        guard let origin = clip.origin else { return }
        packet.shift(by: -origin)
        if clip.isPastEnd(packet, kind: .video, by: Self.trailingLag) { finish() }
    }
}
