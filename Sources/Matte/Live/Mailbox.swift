import Dispatch
import Synchronization

/// What several threads have to say to one, in order; of what may be late, only the newest is kept.
final class Mailbox<Letter: Sendable>: Sendable {
    private struct State {
        var letters: [Letter] = []
        var replacedCount = 0
    }

    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    /// Appends `letter`.
    func put(_ letter: Letter) {
        state.withLock { $0.letters.append(letter) }
        arrival.signal()
    }

    /// Appends `letter` and takes back those waiting that it makes stale.
    func put(_ letter: Letter, replacing isStale: (Letter) -> Bool) {
        state.withLock { state in
            let count = state.letters.count
            state.letters.removeAll(where: isStale)
            state.replacedCount += count - state.letters.count
            state.letters.append(letter)
        }
        arrival.signal()
    }

    /// Appends `letter` and takes back the oldest of those waiting that are like it where there are more than `limit` of them, which
    /// `replacedCount` does not count.
    func put(_ letter: Letter, keeping limit: Int, of isAlike: (Letter) -> Bool) {
        state.withLock { state in
            state.letters.append(letter)
            guard state.letters.count > limit, state.letters.count(where: isAlike) > limit,
                let oldest = state.letters.firstIndex(where: isAlike)
            else { return }
            state.letters.remove(at: oldest)
        }
        arrival.signal()
    }

    /// How many letters `put(_:replacing:)` has taken back so far.
    var replacedCount: Int { state.withLock { $0.replacedCount } }

    /// Waits for a letter and removes it; nil once `timeout` seconds have passed, without it never.
    func take(timeout: Double? = nil) -> Letter? {
        let deadline = timeout.map { DispatchTime.now() + $0 } ?? .distantFuture
        while true {
            guard arrival.wait(timeout: deadline) == .success else { return nil }
            // A letter that was taken back has left its signal behind.
            let letter: Letter? = state.withLock { $0.letters.isEmpty ? nil : $0.letters.removeFirst() }
            if let letter { return letter }
        }
    }
}
