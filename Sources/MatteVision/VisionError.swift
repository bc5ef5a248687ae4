import Inference

/// Why a request could not be performed: a model or the neural runtime is missing, or is not what the manifest says.
public struct VisionError: Error, Hashable, CustomStringConvertible {
    /// What sort of failure it is.
    public enum Kind: Hashable, Sendable {
        /// A file or the runtime is not there; set-up brings it.
        case unavailable
        /// A manifest or a model does not hold what it should.
        case invalid
    }

    /// What sort of failure it is.
    public let kind: Kind
    /// One sentence: the file, the operation, the cause, the way out.
    public let description: String

    /// A failure of that sort, told in one sentence.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    init(_ error: InferenceError) {
        switch error.kind {
        case .unavailable: self.init(.unavailable, error.description)
        case .invalid: self.init(.invalid, error.description)
        }
    }
}
