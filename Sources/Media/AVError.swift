import CFFmpeg

/// An error code of FFmpeg: the one door from a C integer to a Swift error.
///
/// The end of a file and "try again" are control flow and are looked at before a code comes here.
struct AVError: Error, Equatable, CustomStringConvertible {
    let code: CInt

    static let outOfMemory = AVError(code: FFError(ENOMEM))
    static let brokenPipe = AVError(code: FFError(EPIPE))
    /// Waiting was called off.
    static let exit = AVError(code: FFErrorExit)
    static let invalidArgument = AVError(code: FFError(EINVAL))

    /// The error of a system call that has set `errno` to `number`.
    static func system(_ number: CInt) -> AVError { AVError(code: FFError(number)) }

    /// FFmpeg's own words for the code (`av_strerror`), to stand within a sentence.
    var description: String {
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(AV_ERROR_MAX_STRING_SIZE)) { text in
            av_strerror(code, text.baseAddress!, text.count)
            return String(cString: text.baseAddress!)
        }
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Whether the disk, the device or the network failed, rather than the data.
    var isInputOutput: Bool {
        [
            EIO, ENOSPC, EDQUOT, EFBIG, EROFS, ENXIO, ENODEV, ESTALE, EUCLEAN, EBADMSG, EREMOTEIO,
            ETIMEDOUT, ECONNRESET, ECONNABORTED, ECONNREFUSED, ENETDOWN, ENETUNREACH, ENETRESET, EHOSTDOWN,
            EHOSTUNREACH,
        ].contains { code == FFError($0) }
    }

    /// Returns a code that tells of success, throws any other.
    @discardableResult
    static func check(_ code: CInt) throws(AVError) -> CInt {
        guard code >= 0 else { throw AVError(code: code) }
        return code
    }

    /// Unwraps what FFmpeg has allocated; null means that there was no memory.
    static func allocated<Pointer>(_ pointer: Pointer?) throws(AVError) -> Pointer {
        guard let pointer else { throw .outOfMemory }
        return pointer
    }
}
