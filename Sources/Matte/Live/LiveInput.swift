import Dispatch
import Imaging
import Media
import Synchronization

/// What comes from a camera or a stream as it happens, read in a thread of its own.
///
/// Frames are read as soon as they are there. A camera that fails is opened again until it gives pictures; a file is read no
/// faster than it is to be shown. All methods may be called from any thread.
final class LiveInput: @unchecked Sendable {
    /// What becomes of an input.
    enum Event: Sendable {
        /// A frame, and when it had been read and decoded.
        case frame(VideoFrame, ContinuousClock.Instant)
        case packet(Packet)
        /// The camera is gone, or was not found again; it is being looked for.
        case lost(MediaError)
        /// The input is over; it may break off in the middle of a frame.
        case end(MediaError?)
        /// The input can't be read on.
        case failed(MediaError)
    }

    private struct State {
        var isInterrupted = false
        var isWanted = true
        /// That of what is being read.
        var interrupter: Interrupter?
    }

    /// Seconds between two looks for a camera that is gone.
    private static let retryInterval = 0.5

    private let path: String
    private let options: MediaReader.Options
    private let isCamera: Bool
    /// Whether frames wait until their time has come.
    private let isPaced: Bool
    private let onEvent: @Sendable (Event) -> Void
    private let clock = ContinuousClock()
    /// What is being read; the reading thread's alone.
    private var reader: MediaReader?
    /// When the first frame came; the reading thread's alone.
    private var start: ContinuousClock.Instant?
    /// The time of the first frame, which may be any; the reading thread's alone.
    private var firstTime: Double?
    private let state: Mutex<State>
    /// Signalled when `state` changes.
    private let change = DispatchSemaphore(value: 0)

    /// An input that `reader` has opened already; `path` and `options` open it again. `early` was read from it before.
    init(
        _ reader: MediaReader, path: String, options: MediaReader.Options, early: [MediaItem],
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        for case .frame(let frame) in early { firstTime = firstTime ?? frame.time }
        self.path = path
        self.options = options
        self.onEvent = onEvent
        isCamera = reader.isCamera
        isPaced = reader.isSeekable
        self.reader = reader
        state = Mutex(State(interrupter: reader.interrupter))
    }

    /// Reads until the end, or until it is interrupted.
    func run() {
        while isWanted() {
            do throws(MediaError) {
                try read()
                if !isCamera { return onEvent(.end(reader?.truncation)) }
            } catch {
                if !isCamera { return onEvent(.failed(error)) }
                onEvent(.lost(error))
                close()
                _ = change.wait(timeout: .now() + Self.retryInterval)
            }
            close()
        }
        onEvent(.end(nil))
    }

    /// Ends the reading for good.
    func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            state.interrupter?.interrupt()
        }
        change.signal()
    }

    /// Lets a camera go while nobody wants its pictures, and takes it up again.
    func setWanted(_ isWanted: Bool) {
        state.withLock { state in
            state.isWanted = isWanted
            if !isWanted { state.interrupter?.interrupt() }
        }
        change.signal()
    }

    private func close() {
        state.withLock { $0.interrupter = nil }
        reader?.close()
        reader = nil
    }

    /// Waits until pictures are wanted; false once it is interrupted.
    private func isWanted() -> Bool {
        while true {
            let now = state.withLock { ($0.isInterrupted, $0.isWanted) }
            if now.0 { return false }
            if now.1 { return true }
            change.wait()
        }
    }

    private func read() throws(MediaError) {
        let reader = try openedReader()
        var offset: Int64?
        while let item = try reader.next() {
            switch item {
            case .packet(let packet): onEvent(.packet(packet))
            case .runIn: break
            case .frame(var frame):
                let begin = start ?? clock.now
                start = begin
                firstTime = firstTime ?? frame.time
                if isPaced, !waitForTime(of: frame, since: begin) { return }
                let now = clock.now
                if isCamera, let pts = frame.pts {
                    // Each time that it is opened a camera begins anew; the run goes on.
                    let shift = offset ?? Int64((now - begin).seconds / frame.timeBase.value) - pts
                    offset = shift
                    frame.pts = pts + shift
                }
                onEvent(.frame(frame, now))
            }
        }
    }

    private func openedReader() throws(MediaError) -> MediaReader {
        if let reader { return reader }
        let opened = try MediaReader(path: path, options: options)
        reader = opened
        let interrupter = opened.interrupter
        state.withLock { state in
            state.interrupter = interrupter
            if state.isInterrupted || !state.isWanted { interrupter.interrupt() }
        }
        return opened
    }

    /// Waits until a stored frame is to be shown; false once it is interrupted.
    private func waitForTime(of frame: VideoFrame, since start: ContinuousClock.Instant) -> Bool {
        while true {
            if state.withLock({ $0.isInterrupted }) { return false }
            let rest = (frame.time ?? 0) - (firstTime ?? 0) - (clock.now - start).seconds
            if rest <= 0 { return true }
            _ = change.wait(timeout: .now() + rest)
        }
    }
}
