import MatteVision
import Media

/// Why a video could not be matted, in one sentence, and of what sort the failure is.
public struct MatteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What sort of failure it is; the command's exit code follows from it.
    public enum Kind: Hashable, Sendable {
        /// The caller asked for what doesn't exist.
        case usage
        /// The input is not a video, or a model or manifest is not what it should be.
        case badData
        /// The input is missing.
        case noInput
        /// A model, the neural runtime, or hardware that was asked for is missing.
        case unavailable
        /// Something failed that should not have.
        case `internal`
        /// The output can't be made.
        case cannotCreate
        /// Reading or writing failed on the way.
        case io
        /// Whoever read the output stream went away: the normal end of a filter that nobody listens to any more.
        case readerGone
    }

    /// What sort of failure it is.
    public let kind: Kind
    /// One sentence that names the file, the operation, the cause and, where there is one, the way out.
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// The same failure, told by a request.
    public init(_ error: VisionError) {
        switch error.kind {
        case .unavailable: self.init(.unavailable, error.description)
        case .invalid: self.init(.badData, error.description)
        }
    }

    /// The same failure, told by a reader or a writer.
    public init(_ error: MediaError) {
        let kind: Kind =
            switch error.kind {
            case .noInput: .noInput
            case .badData: .badData
            case .unavailable: .unavailable
            case .cannotCreate: .cannotCreate
            case .io: .io
            case .usage: .usage
            case .internal: .internal
            case .readerGone: .readerGone
            }
        self.init(kind, error.description)
    }
}
