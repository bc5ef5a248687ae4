import Imaging
import Inference

/// A network that a square picture goes into and arrays of known lengths come out of. For one thread at a time.
///
/// It is loaded when it is first needed, unless it is prepared before: some are needed in few videos.
final class SquareNetwork {
    /// Width and height of the input picture in pixels.
    let size: Int
    private let description: ModelDescription
    private let library: ModelLibrary
    private let directory: String
    private let outputCounts: [Int]
    private let input: Tensor
    private var loaded: Loaded?

    private struct Loaded {
        let model: Model
        let outputs: [(name: String, count: Int)]
    }

    /// The network of `description` from the folder of `library`, whose file must be there; `outputCounts` are the lengths of
    /// its outputs, by which they are told apart.
    init(_ description: ModelDescription, library: ModelLibrary, outputCounts: [Int]) throws(VisionError) {
        self.description = description
        self.library = library
        self.outputCounts = outputCounts
        directory = try library.resolvedDirectory()
        _ = try library.path(of: description, in: directory)
        size = description.input.width
        input = Tensor(shape: [1, size, size, 3])
    }

    /// Loads the network.
    func prepare() throws(VisionError) { _ = try ready() }

    private func ready() throws(VisionError) -> Loaded {
        if let loaded { return loaded }
        let model = try library.load(description, from: directory)
        let path = model.path
        guard description.input.height == size, description.input.layout == .channelsLast, model.inputs.count == 1,
            let port = model.inputs.first, NetworkPorts.fits(port.shape, [1, size, size, 3])
        else {
            throw VisionError(
                .invalid, "the model '\(path)' does not take the one square picture that its description must name")
        }
        let ports = model.outputs
        let outputs = outputCounts.compactMap { count in
            ports.first { NetworkPorts.count($0.shape) == count }.map { (name: $0.name, count: count) }
        }
        guard outputs.count == outputCounts.count else {
            let counts = outputCounts.map(String.init).joined(separator: " and ")
            throw VisionError(.invalid, "the model '\(path)' does not have outputs of \(counts) numbers")
        }
        do throws(InferenceError) {
            try model.setInput(port.name, to: input)
        } catch {
            throw VisionError(error)
        }
        let made = Loaded(model: model, outputs: outputs)
        loaded = made
        return made
    }

    /// Runs the network on a picture that `draw` writes: red, green, blue in 0…1 (what lies outside is clipped), rows from
    /// the top.
    func run(_ draw: (UnsafeMutableBufferPointer<Float>) -> Void) throws(VisionError) {
        let model = try ready().model
        let (low, scale) = (description.input.range[0], description.input.range[1] - description.input.range[0])
        input.withUnsafeMutableElements { pixels in
            draw(pixels)
            for i in 0..<pixels.count { pixels[i] = low + scale * min(max(pixels[i], 0), 1) }
        }
        do throws(InferenceError) {
            try model.infer()
        } catch {
            throw VisionError(error)
        }
    }

    /// The output of that place in `outputCounts` as the last run left it.
    func output(_ index: Int) throws(VisionError) -> [Float] { try withOutput(index) { Array($0) } }

    /// Calls `body` with that output; it is valid only inside.
    func withOutput<R>(_ index: Int, _ body: (UnsafeBufferPointer<Float>) -> R) throws(VisionError) -> R {
        let (model, (name, count)) = (try ready().model, try ready().outputs[index])
        do throws(InferenceError) {
            let result = try model.withOutput(name) { elements, _ in elements.count == count ? body(elements) : nil }
            guard let result else {
                throw InferenceError(
                    .invalid, operation: "run", file: model.path, cause: "its outputs changed their size")
            }
            return result
        } catch {
            throw VisionError(error)
        }
    }
}

extension ModelManifest {
    /// The description of one of the networks for faces.
    func faceModel(_ role: KeyPath<FaceModels, String>) throws(VisionError) -> ModelDescription {
        let name = face[keyPath: role]
        guard let description = models.first(where: { $0.name == name }) else {
            throw VisionError(.invalid, "the manifest of the models has no '\(name)', which it names for faces")
        }
        return description
    }
}
