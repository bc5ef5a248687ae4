import CV4L2
import Glibc

/// Notices when other programs open or leave a device.
///
/// inotify(7) tells that somebody came or went, the processes' descriptors tell whether anybody is left: programs of other users
/// stay unseen. `interrupt` may be called from any thread, all else from one at a time.
package final class DeviceWatch: @unchecked Sendable {
    private let path: String
    private let descriptor: CInt
    private let wakeUp: WakeUp

    /// - Throws: `.internal` where the system has no watches left.
    package init(path: String) throws(MediaError) {
        self.path = path
        do throws(AVError) {
            wakeUp = try WakeUp()
            descriptor = inotify_init1(CInt(O_CLOEXEC))
            let events = UInt32(IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE)
            guard descriptor >= 0, inotify_add_watch(descriptor, path, events) >= 0 else { throw AVError.system(errno) }
        } catch {
            throw MediaError(error, kind: .internal, file: path, operation: "watch")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether another program has the device open.
    package var isWatched: Bool { !DeviceHolder.all(of: path).isEmpty }

    /// What came of waiting.
    package enum Outcome: Sendable {
        case ready, timedOut, interrupted
    }

    /// Waits until somebody comes or goes, for as long as `milliseconds` tell or for ever.
    package func waitForChange(milliseconds: Int32? = nil) -> Outcome {
        switch wakeUp.wait(for: descriptor, milliseconds: milliseconds ?? -1) {
        case .interrupted: return .interrupted
        case .timedOut: return .timedOut
        case .ready:
            var events = [UInt8](repeating: 0, count: 4096)
            _ = read(descriptor, &events, events.count)
            return .ready
        }
    }

    /// Ends the waiting, from whatever thread.
    package func interrupt() { wakeUp.interrupt() }
}
