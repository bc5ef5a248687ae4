import CFFmpeg
import Glibc

/// Text on its way into a stream or a file that somebody else has opened.
///
/// `interrupt` may be called from any thread, all else from one at a time, hence `@unchecked Sendable`.
package final class TextOutput: @unchecked Sendable {
    private let io: DescriptorIO
    private let path: String

    /// Text for the stream or file of `descriptor`, which stays open afterwards; `path` is how errors call it.
    ///
    /// - Throws: `.cannotCreate` where the descriptor is not open for writing.
    package init(_ descriptor: CInt, isStream: Bool, path: String) throws(MediaError) {
        self.path = path
        do throws(AVError) {
            guard Self.canWrite(to: descriptor) else { throw AVError.system(EBADF) }
            io = isStream ? try DescriptorIO(writingStream: descriptor) : try DescriptorIO(writing: descriptor)
        } catch {
            throw MediaError(error, kind: .cannotCreate, file: path, operation: "write to")
        }
    }

    /// Whether `descriptor` is open for writing.
    package static func canWrite(to descriptor: CInt) -> Bool {
        // A pipe's other end could be opened for writing by its number.
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY
    }

    /// Takes the text in; it may wait until `flush`.
    ///
    /// - Throws: as `flush`.
    package func write(_ text: String) throws(MediaError) {
        var text = text
        text.withUTF8 { avio_write(io.context, $0.baseAddress, CInt($0.count)) }
        guard io.context.pointee.error < 0 else { return }
        try flush()
    }

    /// Hands on what was taken in so far.
    ///
    /// - Throws: `.io` where writing fails, `.readerGone` where nobody reads the stream any more.
    package func flush() throws(MediaError) {
        do throws(AVError) {
            try io.flush()
        } catch {
            throw MediaError(error, kind: .io, file: path, operation: "write")
        }
    }

    /// Ends the wait for a stream's reader that takes nothing.
    package func interrupt() { io.interrupt() }
}
