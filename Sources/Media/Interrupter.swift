/// Ends what a reader or a writer waits for. A value; safe to share, and to be used by any thread at any time.
public struct Interrupter: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends it for good.
    public func interrupt() { end() }
}
