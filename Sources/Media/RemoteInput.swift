import CFFmpeg
import Synchronization

/// An input that FFmpeg reads over one of its protocols.
///
/// Safe to use from several threads at once.
final class RemoteInput: Sendable {
    /// Microseconds without a byte after which the other side counts as gone.
    private static let timeout = 30_000_000

    private let hasInterruption = Atomic(false)

    /// Has whatever waits inside `context` end when this is interrupted; this must live as long as `context`.
    func attach(to context: UnsafeMutablePointer<AVFormatContext>, options: inout OpaquePointer?) {
        context.pointee.interrupt_callback = AVIOInterruptCB(
            callback: { Unmanaged<RemoteInput>.fromOpaque($0!).takeUnretainedValue().isInterrupted ? 1 : 0 },
            opaque: Unmanaged.passUnretained(self).toOpaque())
        av_dict_set_int(&options, "rw_timeout", Int64(Self.timeout), 0)
    }

    /// Whether the input was ended by `interrupt`.
    var isInterrupted: Bool { hasInterruption.load(ordering: .relaxed) }

    /// Ends the wait for what doesn't come: the input ends here.
    func interrupt() { hasInterruption.store(true, ordering: .relaxed) }
}
