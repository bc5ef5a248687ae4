import Glibc
import Matte
import Media

/// Standard output, for what the program is asked to tell; frames go there by a way of their own.
enum StandardOutput {
    /// Writes all of `text`.
    ///
    /// - Throws: `MatteError` of kind `io` where it can't be written, and `readerGone` where nobody reads it any more.
    static func write(_ text: String) throws(MatteError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            let code = errno
            guard count > 0 else {
                throw MatteError(
                    code == EPIPE ? .readerGone : .io,
                    "can't write standard output: \(LocalFile.errorText(code))")
            }
            rest = rest.dropFirst(count)
        }
    }
}
