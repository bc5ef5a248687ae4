import Imaging
import Media

/// The window in which a run is looked at, as long as it is open.
struct Preview {
    private var window: OutputDevice?
    private var hasShown = false

    init(_ window: OutputDevice?) {
        self.window = window
    }

    /// Shows `frame`; false in the one call that finds the window closed.
    ///
    /// - Throws: `MatteError` of kind `io` where there never was a window: a mistake to hear of, where one that closes is somebody's
    ///   wish.
    mutating func show(_ frame: VideoFrame) throws(MatteError) -> Bool {
        guard let window else { return true }
        do throws(MediaError) {
            try window.write(frame)
            hasShown = true
            return true
        } catch {
            guard hasShown else { throw MatteError(error) }
            self.window = nil
            return false
        }
    }
}
