import Inference

/// What a recurrent network remembers of one sequence of pictures; empty for a network without memory.
///
/// Not to be copied: a copy would share its memory.
struct RecurrentState: ~Copyable {
    private(set) var tensors: [(description: ModelDescription.State, tensor: Tensor)]

    /// The state before the first picture: zeros.
    init(_ description: ModelDescription) {
        tensors = (description.state ?? []).map { ($0, Tensor(shape: $0.shape)) }
    }

    /// Hands the state to `model` for its next inference.
    func enter(_ model: Model) throws(InferenceError) {
        for state in tensors { try model.setInput(state.description.input, to: state.tensor) }
    }

    /// Takes over what the last inference of `model` left.
    mutating func take(from model: Model) throws(InferenceError) {
        for index in tensors.indices {
            let (name, last) = (tensors[index].description.output, tensors[index].tensor)
            let tensor = try model.withOutput(name) { elements, shape -> Tensor? in
                guard DescriptionCheck.count(shape) == elements.count else { return nil }
                let tensor = last.shape == shape ? last : Tensor(shape: shape)
                tensor.withUnsafeMutableElements { _ = $0.update(from: elements) }
                return tensor
            }
            guard let tensor else {
                throw InferenceError(
                    .invalid, operation: "run", file: model.path, cause: "its state '\(name)' is empty or too large")
            }
            tensors[index].tensor = tensor
        }
        // What is no number would stay for ever.
        if !tensors.allSatisfy({ $0.tensor.isFinite }) {
            for state in tensors { state.tensor.fill(0) }
        }
    }
}
