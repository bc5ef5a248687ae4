import Dispatch
import Media
import Synchronization

/// A whole video from a reader through a filter into a writer: decoding, matting, compositing and encoding side by side.
///
/// Each part works on a thread of its own, and short queues between them keep the memory constant: whoever is ahead waits.
///
/// The reader, each part of the filter and the writers are used by one thread alone while the pipeline runs, hence
/// `@unchecked Sendable`; don't use them elsewhere before `run` returns. `interrupt` and `cancel` may be called from any
/// thread.
public final class Pipeline: @unchecked Sendable {
    /// How far a run has come.
    public struct Progress: Sendable, Hashable {
        /// Frames written so far.
        public var frameCount = 0
        /// Seconds of video till the last one: its presentation time, counted from the first; of a ``LivePipeline``, when it was
        /// written, counted from the run's beginning.
        public var time = 0.0
    }

    /// What a run did.
    public struct Summary: Sendable {
        /// How far it came.
        public var progress = Progress()
        /// Whether `interrupt` ended it early, where what was done till then is complete and playable, or `cancel`.
        public var wasInterrupted = false
        /// Where the time went.
        public var statistics = RunStatistics()
    }

    /// What goes from matting to compositing.
    private enum Matted: Sendable {
        case observed(MatteFilter.Observed)
        /// For what the filter remembers alone.
        case runIn(MatteFilter.Observed)
        case packet(Packet)
    }

    /// What goes from compositing to encoding.
    private enum Composited: Sendable {
        case output(MatteFilter.Output)
        case packet(Packet)
    }

    /// Frames and packets in flight between two threads; enough to hide the jitter of the codecs.
    private static let queueCapacity = 2

    private let reader: MediaReader
    private let filter: MatteFilter
    private let writer: MediaWriter
    private var preview: Preview
    private let poseWriter: PoseWriter?
    private let decoded = BoundedQueue<MediaItem>(capacity: queueCapacity)
    private let matted = BoundedQueue<Matted>(capacity: queueCapacity)
    private let composited = BoundedQueue<Composited>(capacity: queueCapacity)
    private let failure = Mutex<MatteError?>(nil)
    private let isInterrupted = Atomic(false)
    private let isCancelled = Atomic(false)
    private let clock = ContinuousClock()
    // Each is the matter of one thread alone while the pipeline runs.
    private var readingTimes = TimeDistribution()
    private var mattingTimes = TimeDistribution()
    private var refiningTimes = TimeDistribution()
    private var compositingTimes = TimeDistribution()
    private var writingTimes = TimeDistribution()

    /// A pipeline for one call of `run`, which ends what it writes; `preview` shows what is written, `poseWriter` gets the faces of every
    /// frame, which `filter` looks for then.
    public init(
        reader: MediaReader, filter: MatteFilter, writer: MediaWriter, preview: OutputDevice? = nil,
        poseWriter: PoseWriter? = nil
    ) {
        self.reader = reader
        self.filter = filter
        if poseWriter != nil { filter.findFaces() }
        self.writer = writer
        self.preview = Preview(preview)
        self.poseWriter = poseWriter
    }

    /// Stops reading; `run` then finishes the output with what was read, and returns, or throws where it is a stream whose reader
    /// takes nothing.
    public func interrupt() {
        isInterrupted.store(true, ordering: .relaxed)
        reader.interrupter.interrupt()
        writer.interrupter.interrupt()
        poseWriter?.interrupt()
    }

    /// Stops reading, and leaves what was there before: `run` returns without an output; of a stream nothing can be taken back.
    public func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        interrupt()
    }

    /// Runs to the end of the input and puts the output in place; calls `onProgress` after each frame, on the calling thread.
    ///
    /// Interrupted before the first frame, or cancelled, it leaves no output.
    /// - Throws: `MatteError`. No output is left then, with three exceptions: where the input breaks off in the middle of a
    ///   frame, the output holds every frame before it; of a stream whose reader went away, the faces are complete; and where
    ///   only the faces can't get their final name, the output has its own already.
    public func run(onProgress: (Progress) -> Void = { _ in }) throws(MatteError) -> Summary {
        let start = clock.now
        let threads = DispatchGroup()
        DispatchQueue(label: "decode").async(group: threads) { self.decode() }
        DispatchQueue(label: "matte").async(group: threads) { self.matte() }
        DispatchQueue(label: "composite").async(group: threads) { self.composite() }
        let progress = encode(onProgress: onProgress)
        threads.wait()
        if let error = failure.withLock({ $0 }) {
            try abandon(error)
        }
        var summary = Summary(progress: progress, wasInterrupted: isInterrupted.load(ordering: .relaxed))
        if summary.wasInterrupted, progress.frameCount == 0 || isCancelled.load(ordering: .relaxed) {
            writer.discard()
            poseWriter?.discard()
            return summary
        }
        let isFinished: Bool
        do throws(MediaError) {
            isFinished = try writer.finish { isCancelled.load(ordering: .relaxed) }
        } catch {
            try abandon(MatteError(error))
        }
        guard isFinished else {
            poseWriter?.discard()
            summary.wasInterrupted = true
            return summary
        }
        try poseWriter?.finish()
        summary.progress.frameCount = writer.frameCount
        summary.statistics.reading = readingTimes
        summary.statistics.matting = mattingTimes
        summary.statistics.refining = refiningTimes
        summary.statistics.compositing = compositingTimes
        summary.statistics.writing = writingTimes
        summary.statistics.duration = (clock.now - start).seconds
        // What came before the place where the input breaks off is complete by now.
        if let error = reader.truncation { throw MatteError(error) }
        return summary
    }

    /// Ends without an output; where its reader went away, the faces are complete all the same.
    private func abandon(_ error: MatteError) throws(MatteError) -> Never {
        writer.discard()
        if error.kind == .readerGone { try poseWriter?.finish() } else { poseWriter?.discard() }
        throw error
    }

    // The first failure counts; it stops all threads.
    private func fail(_ error: MatteError) {
        failure.withLock { $0 = $0 ?? error }
        decoded.cancel()
        matted.cancel()
        composited.cancel()
        // One may be waiting for somebody who has nothing to say, another for somebody who does not listen.
        reader.interrupter.interrupt()
        writer.interrupter.interrupt()
        poseWriter?.interrupt()
    }

    private func decode() {
        do throws(MediaError) {
            var start = clock.now
            while !isInterrupted.load(ordering: .relaxed), let item = try reader.next() {
                if case .frame = item { readingTimes.note((clock.now - start).seconds) }
                defer { start = clock.now }
                guard decoded.put(item) else { return }
            }
            decoded.finish()
        } catch {
            fail(MatteError(error))
        }
    }

    private func matte() {
        do throws(MatteError) {
            while let item = decoded.take() {
                let start = clock.now
                let product: Matted
                switch item {
                case .packet(let packet): product = .packet(packet)
                case .frame(let frame):
                    product = .observed(try filter.observe(frame))
                    mattingTimes.note((clock.now - start).seconds)
                case .runIn(let frame): product = .runIn(try filter.observe(frame))
                }
                guard matted.put(product) else { return }
            }
            matted.finish()
        } catch {
            fail(error)
        }
    }

    private func composite() {
        do throws(MatteError) {
            while let product = matted.take() {
                let start = clock.now
                switch product {
                case .packet(let packet):
                    guard composited.put(.packet(packet)) else { return }
                case .runIn(let observed): _ = try filter.compose(filter.refine(observed))
                case .observed(let observed):
                    let refined = filter.refine(observed)
                    let began = clock.now
                    let output = try filter.compose(refined)
                    refiningTimes.note((began - start).seconds)
                    compositingTimes.note((clock.now - began).seconds)
                    guard composited.put(.output(output)) else { return }
                }
            }
            composited.finish()
        } catch {
            fail(error)
        }
    }

    private func encode(onProgress: (Progress) -> Void) -> Progress {
        var progress = Progress()
        var start: Double?
        do throws(MatteError) {
            while let product = composited.take() {
                switch product {
                case .packet(let packet): try write(.packet(packet))
                case .output(let output):
                    let began = clock.now
                    try write(.frame(output.frame))
                    writingTimes.note((clock.now - began).seconds)
                    _ = try preview.show(output.frame)
                    try poseWriter?.write(output, frame: progress.frameCount)
                    let time = output.frame.time ?? 0
                    start = start ?? time
                    progress.frameCount += 1
                    progress.time = time - (start ?? time)
                    onProgress(progress)
                }
            }
            try poseWriter?.sync()
        } catch {
            fail(error)
        }
        return progress
    }

    private func write(_ item: MediaItem) throws(MatteError) {
        do throws(MediaError) {
            try writer.write(item)
        } catch {
            throw MatteError(error)
        }
    }
}
