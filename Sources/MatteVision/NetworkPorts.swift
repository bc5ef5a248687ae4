import Inference

/// The inputs and outputs that a network has, against those that its description tells of.
struct NetworkPorts {
    let model: Model

    /// The input `name` takes tensors of `shape`.
    func requireInput(_ name: String, shape: [Int]) throws(VisionError) {
        guard let port = model.inputs.first(where: { $0.name == name }) else {
            throw invalid("the model '\(model.path)' has no input '\(name)', which its description names")
        }
        guard Self.fits(port.shape, shape) else {
            throw invalid(
                "the model '\(model.path)' takes an input of \(port.shape), but its description says \(shape)")
        }
    }

    /// The output `name` is there.
    func requireOutput(_ name: String) throws(VisionError) {
        guard model.outputs.contains(where: { $0.name == name }) else {
            throw invalid("the model '\(model.path)' has no output '\(name)', which its description names")
        }
    }

    /// There are no inputs but `names`: one that is never set holds whatever was in its memory.
    func requireNoInputs(but names: Set<String>) throws(VisionError) {
        guard let stranger = model.inputs.first(where: { !names.contains($0.name) }) else { return }
        throw invalid(
            "the model '\(model.path)' has an input '\(stranger.name)', which its description does not tell of")
    }

    /// The number of elements of a shape that is known and can be; nil for others.
    static func count(_ shape: [Int]) -> Int? { DescriptionCheck.count(shape) }

    /// Whether a port of `shape`, where -1 is any size, takes a tensor of `tensorShape`.
    static func fits(_ shape: [Int], _ tensorShape: [Int]) -> Bool {
        shape.count == tensorShape.count && zip(shape, tensorShape).allSatisfy { $0 == -1 || $0 == $1 }
    }

    private func invalid(_ sentence: String) -> VisionError { VisionError(.invalid, sentence) }
}
