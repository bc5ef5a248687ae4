/// The sentences about an output that its user is told; some of them once.
final class Warnings {
    /// What is told once.
    enum Kind { case frameTimes, frameRate, packetTimes, captions }

    private let tell: @Sendable (String) -> Void
    private var told: Set<Kind> = []

    /// `tell` is called by the thread that calls this.
    init(_ tell: @escaping @Sendable (String) -> Void) { self.tell = tell }

    func callAsFunction(_ text: String) { tell(text) }

    func once(_ kind: Kind, _ text: @autoclosure () -> String) {
        guard told.insert(kind).inserted else { return }
        tell(text())
    }
}
