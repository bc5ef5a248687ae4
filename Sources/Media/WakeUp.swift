import Glibc
import Synchronization

/// Waits for a descriptor, and can be called off from any thread, for good.
final class WakeUp: Sendable {
    enum Outcome {
        case ready, timedOut, interrupted
    }

    /// A pipe's two ends, readable once it is called off.
    private let ends: (read: CInt, write: CInt)
    private let hasInterruption = Atomic(false)

    init() throws(AVError) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw AVError.system(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.ends = (ends[0], ends[1])
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    /// Whether the waiting was called off.
    var isInterrupted: Bool { hasInterruption.load(ordering: .relaxed) }

    /// Calls off this wait and all that follow.
    func interrupt() {
        hasInterruption.store(true, ordering: .relaxed)
        _ = Glibc.write(ends.write, [1], 1)
    }

    /// Waits until there is something to read in `descriptor`, or with `POLLOUT` room to write, nil for the end of the time alone.
    func wait(for descriptor: CInt?, to event: CInt = POLLIN, milliseconds: CInt = -1) -> Outcome {
        var events = [pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)]
        if let descriptor { events.append(pollfd(fd: descriptor, events: Int16(event), revents: 0)) }
        while true {
            let count = poll(&events, nfds_t(events.count), milliseconds)
            if isInterrupted { return .interrupted }
            if count > 0 { return .ready }
            if count == 0 { return .timedOut }
            guard errno == EINTR else { return .ready }
        }
    }
}
