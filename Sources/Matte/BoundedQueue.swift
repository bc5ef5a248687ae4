import Dispatch
import Synchronization

/// A short queue between two threads: who is ahead waits.
///
/// One thread puts, one takes. `finish` lets the taker empty the queue; `cancel` stops both at once.
final class BoundedQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let free = DispatchSemaphore(value: 0)
    private let filled = DispatchSemaphore(value: 0)

    /// A queue that holds `capacity` elements.
    init(capacity: Int) {
        for _ in 0..<capacity { free.signal() }
    }

    /// Waits for room and appends `element`; false when the queue was cancelled.
    func put(_ element: Element) -> Bool {
        free.wait()
        let isCancelled = state.withLock { state in
            state.elements.append(element)
            return state.isCancelled
        }
        filled.signal()
        return !isCancelled
    }

    /// Waits for an element and removes it; nil at the end, or when the queue was cancelled.
    func take() -> Element? {
        filled.wait()
        let element: Element? = state.withLock { state in
            if state.isCancelled || state.elements.isEmpty { return nil }
            return state.elements.removeFirst()
        }
        free.signal()
        // The next call ends too.
        if element == nil { filled.signal() }
        return element
    }

    /// Says that nothing follows.
    func finish() {
        filled.signal()
    }

    /// Lets both threads go without what is still queued.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.elements.removeAll()
        }
        filled.signal()
        free.signal()
    }
}
