/// Why the neural runtime could not do what was asked.
package struct InferenceError: Error, Hashable, CustomStringConvertible {
    /// What sort of failure it is.
    package enum Kind: Hashable, Sendable {
        /// A file, a device or the runtime is missing, or fails.
        case unavailable
        /// A model's file does not hold what it should.
        case invalid
    }

    /// What sort of failure it is.
    package let kind: Kind
    /// What was being done, such as "compile".
    package let operation: String
    /// The model file that it was done with.
    package let file: String
    /// The runtime's own words, or ours.
    package let cause: String

    package init(_ kind: Kind = .unavailable, operation: String, file: String, cause: String) {
        self.kind = kind
        self.operation = operation
        self.file = file
        self.cause = cause
    }

    package var description: String { "can't \(operation) the model '\(file)': \(cause)" }
}
