import Dispatch
import Imaging
import MatteVision
import Media

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A camera or a stream, matted as it happens: the newest frame first, so that what is shown is never late.
///
/// Where `Pipeline` loses no frame, this one loses no time. Frames are read in a thread of their own; whichever is the newest when the
/// last one has been written is taken next, and those before it are dropped, never queued. Everything else, matting and writing
/// included, happens on the thread that calls `run`. A camera that vanishes is looked for, and the background alone is shown
/// meanwhile. `perform` and `interrupt` may be called from any thread, hence `@unchecked Sendable`.
public final class LivePipeline: @unchecked Sendable {
    private enum Letter: Sendable {
        case input(LiveInput.Event)
        case command(LiveCommand, reply: @Sendable (String) -> Void)
        case watched(Bool)
        case end

        var isFrame: Bool {
            if case .input(.frame) = self { true } else { false }
        }

        var isPacket: Bool {
            if case .input(.packet) = self { true } else { false }
        }
    }

    /// What is shown.
    private enum Presence: String {
        case showing, waiting, resting
    }

    /// Seconds between two pictures of the background alone; consumers give up on a camera that gives nothing.
    private static let waitingInterval = 0.1
    /// Seconds that a stream may give no picture before that is told; for how long a camera may is its reader's matter.
    private static let silenceLimit = 5.0
    /// How many of a camera's frames nobody sees: enough for networks that are not asked every time.
    private static let warmUpCount = 12
    /// How long they are waited for; in the dark a camera may give few.
    private static let warmUpTime = Duration.seconds(1)
    /// How many packets of sound and the like wait for an output that takes nothing for a while: half a minute's or so.
    private static let packetLimit = 1024
    private let filter: MatteFilter
    private let output: LiveOutput
    private var window: Preview
    private let poseWriter: PoseWriter?
    private let options: Options
    private let watch: DeviceWatch?
    private let mailbox = Mailbox<Letter>()
    private var input: LiveInput?
    private let isCamera: Bool
    private let isStored: Bool
    private let clock = ContinuousClock()
    private let onNotice: (Notice) -> Void

    private var start: ContinuousClock.Instant
    private var statistics = RunStatistics()
    private var monitor = LoadMonitor()
    private var presence = Presence.showing
    private var isLossTold = false
    private var isSilenceTold = false
    /// When the last frame was taken.
    private var frameTime = 0.0
    private var isOn = true
    /// Of the frames dropped so far those that the monitor knows of.
    private var countedDrops = 0
    /// Frames that a camera's driver had kept while the networks were loaded: too old to be missed.
    private var earlyDrops = 0
    private var failure: MediaError?
    /// Whether the preview that was the only output is closed.
    private var hasNoViewer = false
    /// What was read before the run began: the first frame of a stream, and what came before it.
    private var early: [MediaItem] = []
    private var last = LastFrame()
    private var progress = Pipeline.Progress()
    private var isInterrupted = false

    /// A pipeline for one run of what `reader` has opened with `readerOptions`; `onNotice` is called by `run`, `poseWriter` gets the
    /// faces of every frame, which are looked for then.
    ///
    /// Loads the networks and brings them up to speed with the first frame, or with a camera's first frames, which nobody sees: a
    /// second or two. The reader is the pipeline's from then on. A network gets two threads where there are two cores, or as many as
    /// `configuration.models` tells if that is more.
    ///
    /// - Throws: `MatteError` of kind `internal` where the system can't watch the device, and whatever the reader's first frame or
    ///   ``MatteFilter/process(_:)`` throws.
    public convenience init(
        reader: MediaReader, readerOptions: MediaReader.Options, configuration: Configuration, output: LiveOutput,
        preview: OutputDevice? = nil, poseWriter: PoseWriter? = nil, options: Options = .init(),
        onNotice: @escaping (Notice) -> Void = { _ in }
    ) throws(MatteError) {
        try self.init(
            reader: reader, readerOptions: readerOptions, filter: Self.filter(configuration), output: output,
            preview: preview, poseWriter: poseWriter, options: options, onNotice: onNotice)
    }

    /// A filter that works as fast as it can on one frame after the other.
    package static func filter(_ configuration: Configuration) -> MatteFilter {
        var configuration = configuration
        // Latency counts more than work: the second core has nothing else to do while a network runs.
        let threads = min(2, ProcessInfo.processInfo.activeProcessorCount)
        configuration.models.threads = max(configuration.models.threads, threads)
        return MatteFilter(configuration)
    }

    /// As the other one, with a `filter` of its own.
    package init(
        reader: MediaReader, readerOptions: MediaReader.Options, filter: MatteFilter, output: LiveOutput,
        preview: OutputDevice? = nil, poseWriter: PoseWriter? = nil, options: Options = .init(),
        onNotice: @escaping (Notice) -> Void = { _ in }
    ) throws(MatteError) {
        self.filter = filter
        if poseWriter != nil { filter.findFaces() }
        self.output = output
        window = Preview(preview)
        self.poseWriter = poseWriter
        self.options = options
        self.onNotice = onNotice
        (isCamera, isStored) = (reader.isCamera, reader.isSeekable)
        start = clock.now
        do throws(MediaError) {
            watch = try options.watchedDevice.map { (path) throws(MediaError) in try DeviceWatch(path: path) }
        } catch {
            throw MatteError(error)
        }
        try warmUp(with: reader)
        input = LiveInput(reader, path: reader.path, options: readerOptions, early: early) { [mailbox] event in
            let letter = Letter.input(event)
            switch event {
            case .frame: mailbox.put(letter, replacing: \.isFrame)
            case .packet: mailbox.put(letter, keeping: Self.packetLimit, of: \.isPacket)
            case .lost, .end, .failed: mailbox.put(letter)
            }
        }
    }

    /// Brings the networks up to speed: with a camera's first frames, which are stale by then and often dark, or with that of a
    /// stream, which is the first to be shown.
    private func warmUp(with reader: MediaReader) throws(MatteError) {
        guard let first = try firstFrame(of: reader) else { return }
        _ = try filter.process(first)
        if reader.isCamera {
            early = []
            // A camera that is gone before the run has begun leaves its background, too.
            last.note(first, at: elapsed)
            let end = clock.now + Self.warmUpTime
            // What is wrong with the camera from now on is the run's matter.
            for _ in 1..<Self.warmUpCount where clock.now < end {
                guard case .frame(let frame)? = try? reader.next() else { break }
                _ = try filter.process(frame)
            }
        }
        filter.reset()
    }

    /// Reads up to the first frame; what comes on the way there is kept.
    private func firstFrame(of reader: MediaReader) throws(MatteError) -> VideoFrame? {
        do throws(MediaError) {
            while let item = try reader.next() {
                early.append(item)
                if case .frame(let frame) = item { return frame }
            }
        } catch {
            throw MatteError(error)
        }
        return nil
    }

    /// Ends the run; what was written till then is completed.
    public func interrupt() {
        mailbox.put(.end)
        input?.interrupt()
        releaseWriting()
        watch?.interrupt()
    }

    private func releaseWriting() {
        output.interrupt()
        poseWriter?.interrupt()
    }

    /// Does what is asked for between two frames, and answers with one line: `ok` or `error:`, and what came of it.
    ///
    /// `reply` is called on the thread of `run`, and never if the run is over.
    public func perform(_ command: LiveCommand, reply: @escaping @Sendable (String) -> Void = { _ in }) {
        mailbox.put(.command(command, reply: reply))
        // Whoever takes nothing of the output is not waited for, as after an interrupt.
        if command == .quit { releaseWriting() }
    }

    /// Runs until the input ends or `interrupt` is called; calls `onProgress` after each frame, on the calling thread.
    ///
    /// - Throws: `MatteError`, where the input fails and is no camera, or the output fails.
    public func run(
        onProgress: (Pipeline.Progress) -> Void = { _ in }
    ) throws(MatteError) -> Pipeline.Summary {
        start = clock.now
        let input = input!
        for item in early {
            switch item {
            case .frame(let frame): mailbox.put(.input(.frame(frame, start)))
            case .packet(let packet): mailbox.put(.input(.packet(packet)))
            case .runIn: break
            }
        }
        early = []
        let reading = DispatchGroup()
        DispatchQueue(label: "read").async(group: reading) { input.run() }
        if let watch { DispatchQueue(label: "watch").async { [mailbox] in watch.follow { mailbox.put(.watched($0)) } } }
        defer {
            interrupt()
            // Whoever asks for the reader's damage afterwards gets all of it; nobody asks for a camera's, which may be silent for
            // seconds.
            if !isCamera { reading.wait() }
        }
        do throws(MatteError) {
            try work(onProgress)
            try finish()
        } catch {
            output.discard()
            if error.kind == .readerGone { try poseWriter?.finish() } else { poseWriter?.discard() }
            throw error
        }
        if let failure { throw MatteError(failure) }
        return Pipeline.Summary(progress: progress, wasInterrupted: isInterrupted, statistics: currentStatistics)
    }

    private var elapsed: Double { (clock.now - start).seconds }

    private var currentStatistics: RunStatistics {
        var statistics = statistics
        statistics.duration = elapsed
        statistics.droppedCount = mailbox.replacedCount - earlyDrops
        return statistics
    }

    private func finish() throws(MatteError) {
        try poseWriter?.sync()
        do throws(MediaError) {
            try output.finish(frameCount: progress.frameCount)
        } catch {
            throw MatteError(error)
        }
        if progress.frameCount > 0 { try poseWriter?.finish() } else { poseWriter?.discard() }
    }

    // MARK: The thread of `run`

    private func work(_ onProgress: (Pipeline.Progress) -> Void) throws(MatteError) {
        while !isOver {
            guard let letter = mailbox.take(timeout: patience) else {
                tellSilence()
                if presence == .waiting { try showEmptyFrame() }
                continue
            }
            switch letter {
            case .end:
                isInterrupted = true
                return
            case .watched(let isWatched): try change(isWatched: isWatched)
            case .command(.quit, let reply): return reply("ok quit")
            case .command(let command, let reply): reply(answer(to: command))
            case .input(.packet(let packet)): try write(.packet(packet))
            case .input(.lost(let error)): lose(error)
            case .input(.end(let error)):
                failure = error
                return
            case .input(.failed(let error)):
                // A connection that is lost after hours leaves what came before; damage that is not borne leaves nothing.
                if error.kind == .badData { throw MatteError(error) }
                failure = error
                return
            case .input(.frame(let frame, let arrival)):
                guard presence != .resting else { continue }
                if isLossTold { onNotice(.returned) }
                (presence, isLossTold, frameTime) = (.showing, false, elapsed)
                try show(frame, arrival: arrival)
                onProgress(progress)
            }
        }
    }

    /// Seconds to wait for a letter; nil for as long as it takes.
    private var patience: Double? {
        let times = [
            options.duration.map { $0 - elapsed }, presence == .waiting ? Self.waitingInterval : nil, restOfSilence,
        ]
        return times.compactMap(\.self).min().map { max(0, $0) }
    }

    /// Seconds until a stream's silence is to be told; nil where it never is.
    private var restOfSilence: Double? {
        isCamera || isStored || isSilenceTold ? nil : Self.silenceLimit - (elapsed - frameTime)
    }

    /// Says that a stream gives no picture, be it silent or broken: what is shown stands still.
    private func tellSilence() {
        guard let rest = restOfSilence, rest <= 0 else { return }
        isSilenceTold = true
        onNotice(.silent(Self.silenceLimit))
    }

    private var isOver: Bool {
        if hasNoViewer { return true }
        if let limit = options.frameLimit, progress.frameCount >= limit { return true }
        return options.duration.map { elapsed >= $0 } ?? false
    }

    private func show(_ frame: VideoFrame, arrival: ContinuousClock.Instant) throws(MatteError) {
        let began = clock.now
        let shown: VideoFrame
        var refined = began
        if isOn {
            let people = try filter.observe(frame)
            let observed = clock.now
            let mask = filter.refine(people)
            refined = clock.now
            let product = try filter.compose(mask)
            statistics.matting.note((observed - began).seconds)
            statistics.refining.note((refined - observed).seconds)
            statistics.compositing.note((clock.now - refined).seconds)
            try poseWriter?.write(product, frame: progress.frameCount)
            shown = product.frame
        } else {
            try poseWriter?.write(unobserved: progress.frameCount, time: frame.time)
            shown = filter.untouched(frame)
        }
        let composed = clock.now
        try write(.frame(shown))
        let written = clock.now
        statistics.writing.note((written - composed).seconds)
        statistics.latency.note((written - arrival).seconds)
        if progress.frameCount == 0, isCamera { earlyDrops = mailbox.replacedCount }
        last.note(frame, at: elapsed)
        progress.frameCount += 1
        progress.time = (written - start).seconds
        try preview(shown)
        watchLoad(LoadMonitor.Cost(mask: (refined - began).seconds, rest: (clock.now - refined).seconds))
    }

    private func write(_ item: MediaItem) throws(MatteError) {
        do throws(MediaError) {
            try output.write(item)
        } catch {
            throw MatteError(error)
        }
    }

    private func preview(_ frame: VideoFrame) throws(MatteError) {
        if try window.show(frame) { return }
        onNotice(.previewClosed)
        if case .nowhere = output { hasNoViewer = true }
    }

    /// Looks whether the machine holds the level, and if it does not, once what should hold.
    private func watchLoad(_ cost: LoadMonitor.Cost) {
        let dropped = mailbox.replacedCount
        defer { countedDrops = dropped }
        let count = dropped - max(countedDrops, earlyDrops)
        guard isOn, let overload = monitor.note(dropped: count, cost: cost, at: elapsed) else { return }
        // Advice that can't be had is no reason to end the run.
        let level = try? LevelAdvice(filter.models).lowerLevel(
            than: filter.qualityLevel, cost: overload.cost, interval: 1 / overload.arriving)
        onNotice(.overloaded(arriving: overload.arriving, made: overload.made, level: level))
    }

    // MARK: Without a camera

    private func lose(_ error: MediaError) {
        guard presence != .resting, !isLossTold else { return }
        isLossTold = true
        presence = .waiting
        filter.reset()
        monitor.beginAnew()
        onNotice(.lost(MatteError(error)))
    }

    private func change(isWatched: Bool) throws(MatteError) {
        guard isWatched == (presence == .resting) else { return }
        presence = isWatched ? .waiting : .resting
        if !isWatched {
            filter.reset()
            // Whoever comes next is shown what the device has kept, be it of yesterday.
            for _ in 0..<OutputDevice.keptPictureCount { try showEmptyFrame() }
        }
        monitor.beginAnew()
        input?.setWanted(isWatched)
        onNotice(isWatched ? .watched : .resting)
    }

    private func showEmptyFrame() throws(MatteError) {
        guard let frame = last.next(at: elapsed) else { return }
        let empty = try filter.emptyFrame(like: frame)
        if case .writer = output {
            try poseWriter?.write(unobserved: progress.frameCount, time: empty.time)
            progress.frameCount += 1
        }
        try write(.frame(empty))
        try preview(empty)
    }

    // MARK: While it runs

    private func answer(to command: LiveCommand) -> String {
        do throws(MatteError) {
            switch command {
            case .background(let background): try setBackground(background)
            case .effects(let effects): try filter.setEffects(effects)
            case .quality(let level): try setLevel(level)
            case .on: turn(on: true)
            case .off: turn(on: false)
            case .toggle: turn(on: !isOn)
            case .status, .quit: break
            }
        } catch {
            return "error: \(error.description)"
        }
        let effects = filter.effects.isEmpty ? "none" : filter.effects.map(\.name).joined(separator: ",")
        return "ok \(isOn ? "on" : "off") background=\(filter.background.name) effects=\(effects) "
            + "quality=\(filter.qualityLevel.rawValue) camera=\(presence.rawValue) \(currentStatistics.summary)"
    }

    /// Takes what can be opened at once; anything else might be waited for, and the run with it.
    private func setBackground(_ background: Configuration.BackgroundKind) throws(MatteError) {
        if case .media(let path) = background, InputLimits.mayBeWaitedFor(path) {
            throw MatteError(
                .usage,
                "can't read the background '\(path)': it is a stream or a URL, which a run that goes on does not wait for; "
                    + "name a picture or a video file")
        }
        try filter.setBackground(background)
    }

    private func turn(on: Bool) {
        // What was remembered is of frames long gone.
        if on, !isOn { filter.reset() }
        monitor.beginAnew()
        isOn = on
    }

    /// Loads another level's networks; stays as it is where that can't be.
    private func setLevel(_ level: GeneratePersonSegmentationRequest.QualityLevel) throws(MatteError) {
        let before = filter.qualityLevel
        filter.qualityLevel = level
        monitor = LoadMonitor()
        do throws(MatteError) {
            if let size = last.frame?.uprightSize { try filter.prepare(width: size.width, height: size.height) }
        } catch {
            filter.qualityLevel = before
            throw error
        }
    }
}
