import Imaging
import Media

/// Where the frames of a live run go.
public enum LiveOutput {
    /// A virtual camera, which keeps its first format for good.
    case virtualCamera(OutputDevice)
    /// A file or a stream, with sound and whatever else came along.
    case writer(MediaWriter)
    /// Nowhere but into the preview.
    case nowhere

    /// What of the input's other streams could not be copied and was left out.
    public var damage: Damage {
        guard case .writer(let writer) = self else { return Damage() }
        return writer.damage
    }

    func write(_ item: MediaItem) throws(MediaError) {
        switch (self, item) {
        case (.virtualCamera(let device), .frame(let frame)): try device.write(frame)
        case (.writer(let writer), _): try writer.write(item)
        default: break
        }
    }

    /// Ends the wait for a stream's reader that takes nothing, from whatever thread.
    func interrupt() {
        if case .writer(let writer) = self { writer.interrupter.interrupt() }
    }

    /// Completes a file, of which nothing is left where the run has no frames, or lets the device go.
    func finish(frameCount: Int) throws(MediaError) {
        switch self {
        case .writer(let writer) where frameCount > 0: try writer.finish()
        default: discard()
        }
    }

    /// Removes what can be removed, and lets the device go.
    package func discard() {
        switch self {
        case .virtualCamera(let device): device.close()
        case .writer(let writer): writer.discard()
        case .nowhere: break
        }
    }
}
