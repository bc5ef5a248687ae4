import Inference

/// The inputs and outputs that a network has, against those that its description tells of.
struct NetworkPorts {
    let model: Model

    /// The input `name`, or where none is named the first but `others`; nil where there is none.
    func input(_ name: String?, but others: Set<String> = []) -> Model.Port? {
        Self.port(name, among: model.inputs, but: others)
    }

    /// The output `name`, or where none is named the first but `others`; nil where there is none.
    func output(_ name: String?, but others: Set<String> = []) -> Model.Port? {
        Self.port(name, among: model.outputs, but: others)
    }

    private static func port(_ name: String?, among ports: [Model.Port], but others: Set<String>) -> Model.Port? {
        ports.first { port in name.map { port.name == $0 } ?? !others.contains(port.name) }
    }

    /// The error of a model that lacks the input or the output that its description names.
    var unnamed: VisionError {
        invalid("the model '\(model.path)' does not have the input and output that its description names")
    }

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

    /// Whether a port of `shape`, where -1 is any size, takes a tensor of `tensorShape`.
    static func fits(_ shape: [Int], _ tensorShape: [Int]) -> Bool {
        shape.count == tensorShape.count && zip(shape, tensorShape).allSatisfy { $0 == -1 || $0 == $1 }
    }

    private func invalid(_ sentence: String) -> VisionError { VisionError(.invalid, sentence) }
}
