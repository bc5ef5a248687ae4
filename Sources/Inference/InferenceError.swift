/// Why the neural runtime could not do what was asked.
public struct InferenceError: Error, Hashable, CustomStringConvertible {
    /// What sort of failure it is.
    public enum Kind: Hashable, Sendable {
        /// A file, a device or the runtime is missing, or fails.
        case unavailable
        /// A model's file does not hold what it should.
        case invalid
    }

    /// What sort of failure it is.
    public let kind: Kind
    /// What was being done, such as "compile".
    public let operation: String
    /// The model file that it was done with.
    public let file: String
    /// The runtime's own words, or ours.
    public let cause: String

    public init(_ kind: Kind = .unavailable, operation: String, file: String, cause: String) {
        self.kind = kind
        self.operation = operation
        self.file = file
        self.cause = cause
    }

    public var description: String { "can't \(operation) the model '\(file)': \(cause)" }
}
