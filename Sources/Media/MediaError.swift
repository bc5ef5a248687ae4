/// Why a video could not be read or written.
///
/// `description` is one sentence that names the file, the operation, the cause and, where there is one, the way out.
public struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What sort of failure it is; a program's exit code follows from it.
    public enum Kind: Hashable, Sendable {
        /// The input is missing or may not be read.
        case noInput
        /// The input is not a video, or no frame of it can be decoded.
        case badData
        /// The output may not or can't be made.
        case cannotCreate
        /// Reading or writing failed on the way: a full disk, a lost device.
        case io
        /// Whoever read the output stream went away (EPIPE): the usual end of a filter in a pipe.
        case readerGone
        /// Hardware that was asked for, or its driver, is not there or can't do it.
        case unavailable
        /// The caller asked for what doesn't exist: an encoder, an option, a container.
        case usage
        /// FFmpeg failed where it should not have.
        case `internal`
    }

    /// What sort of failure it is.
    public let kind: Kind
    /// The path as it was given; `-` is standard input or output.
    public let file: String
    /// What was being done, such as "open" or "encode".
    public let operation: String
    /// Why it could not be done.
    public let cause: String
    /// What to do about it.
    public let advice: String?

    /// A failure of which the description is one sentence.
    public init(kind: Kind, file: String, operation: String, cause: String, advice: String? = nil) {
        self.kind = kind
        self.file = file
        self.operation = operation
        self.cause = cause
        self.advice = advice
    }

    /// The operation of every error of a `BackgroundReader`.
    static let readingBackground = "read the background"

    private static let readingOperations: Set = ["open", "read", "decode", readingBackground]

    /// One sentence: the operation, the file, the cause and, where there is one, the way out.
    public var description: String {
        let name = StandardStream.name(of: file, isRead: Self.readingOperations.contains(operation))
        return "can't \(operation) \(name): \(cause)" + (advice.map { "; \($0)" } ?? "")
    }
}

extension MediaError {
    /// Puts words to an FFmpeg error; a failing disk is `.io` and a lost reader `.readerGone`, whatever the operation.
    init(_ error: AVError, kind: Kind, file: String, operation: String, detail: String? = nil, advice: String? = nil) {
        let cause = detail ?? error.description
        if error == .brokenPipe {
            self.init(kind: .readerGone, file: file, operation: operation, cause: "whoever read it went away")
            return
        }
        if error == .exit {
            self.init(
                kind: .io, file: file, operation: "write",
                cause: "the run was interrupted, and whoever reads it takes nothing; its end is missing")
            return
        }
        self.init(
            kind: error.isInputOutput ? .io : kind, file: file,
            // An encoder has no disk: it is the writing of what it made.
            operation: error.isInputOutput && operation == "encode" ? "write" : operation,
            cause: error.isInputOutput ? error.description : cause, advice: error.isInputOutput ? nil : advice)
    }
}
