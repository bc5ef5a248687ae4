import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into a call; a second signal ends the process at once, but for SIGHUP: a terminal that closes
/// says so twice, by its shell and by the kernel.
final class Interruption {
    private let receiver = Receiver()
    private let sources: [any DispatchSourceSignal]

    /// Catches signals from here on.
    init() {
        let registration = DispatchGroup()
        sources = Self.numbers.map { [receiver] number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { receiver.receive(number) }
            registration.enter()
            source.setRegistrationHandler { registration.leave() }
            source.resume()
            return source
        }
        // Another thread registers them; a signal that came before would be ignored.
        registration.wait()
    }

    /// The signals that end a run; what nohup(1) has turned off stays so.
    private static var numbers: [CInt] {
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
        return [SIGINT, SIGTERM] + (isIgnored ? [] : [SIGHUP])
    }

    /// Whether a signal has come.
    var hasCome: Bool { receiver.hasCome }

    /// Calls `action` when a signal comes, at once if one came already.
    func perform(_ action: @escaping @Sendable () -> Void) { receiver.perform(action) }

    /// Ends the process with `exitCode` where a signal comes during `body`, which may wait for long and leaves nothing behind.
    func endingProcess<Result, Failure: Error>(
        _ exitCode: Int32, during body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        receiver.perform { _exit(exitCode) }
        defer { receiver.perform(nil) }
        return try body()
    }
}

/// What is known of signals, on whatever thread they come.
private final class Receiver: Sendable {
    private let state = Mutex((hasCome: false, action: (@Sendable () -> Void)?.none))

    var hasCome: Bool { state.withLock { $0.hasCome } }

    func perform(_ action: (@Sendable () -> Void)?) {
        let hasCome = state.withLock { state in
            state.action = action
            return state.hasCome
        }
        if hasCome { action?() }
    }

    func receive(_ number: CInt) {
        let (isSecond, action) = state.withLock { state in
            defer { state.hasCome = true }
            return (state.hasCome, state.action)
        }
        guard isSecond else {
            action?()
            return
        }
        guard number != SIGHUP else { return }
        signal(number, SIG_DFL)
        // The dispatch library blocks it in the thread that it came to.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }
}
