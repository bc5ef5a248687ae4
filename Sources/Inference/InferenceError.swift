/// Why the neural runtime could not do what was asked.
public struct InferenceError: Error, Hashable, CustomStringConvertible {
    /// What was being done, such as "compile".
    public let operation: String
    /// The model file that it was done with.
    public let file: String
    /// The runtime's own words, or ours.
    public let cause: String

    public init(operation: String, file: String, cause: String) {
        self.operation = operation
        self.file = file
        self.cause = cause
    }

    public var description: String { "can't \(operation) the model '\(file)': \(cause)" }
}
