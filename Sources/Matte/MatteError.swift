import MatteVision
import Media

/// Why a video could not be matted, in one sentence, and of what sort the failure is.
public struct MatteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What sort of failure it is: a missing model or runtime is `.unavailable`, one that is not what it should be `.badData`.
    public typealias Kind = MediaError.Kind

    /// What sort of failure it is.
    public let kind: Kind
    /// One sentence that names the file, the operation, the cause and, where there is one, the way out.
    public let description: String

    /// A failure of that sort, told in one sentence.
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
    public init(_ error: MediaError) { self.init(error.kind, error.description) }
}
