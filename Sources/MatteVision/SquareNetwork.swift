import Imaging
import Inference

/// A network that a square picture goes into and arrays of known lengths come out of. For one thread at a time.
final class SquareNetwork {
    /// Width and height of the input picture in pixels.
    let size: Int
    private let range: (low: Float, high: Float)
    private let model: Model
    private let input: Tensor
    private let outputs: [(name: String, count: Int)]

    /// Loads the network of `source`; `outputCounts` are the lengths of its outputs, by which they are told apart.
    init(_ source: ModelSource, library: ModelLibrary, outputCounts: [Int]) throws(VisionError) {
        model = try library.load(source)
        let description = source.description
        let path = model.path
        size = description.input.width
        let shape = [1, size, size, 3]
        guard description.input.height == size, description.input.layout == .channelsLast, model.inputs.count == 1,
            let port = model.inputs.first, NetworkPorts.fits(port.shape, shape)
        else {
            throw VisionError(
                .invalid, "the model '\(path)' does not take the one square picture that its description must name")
        }
        range = (description.input.range[0], description.input.range[1])
        let ports = model.outputs
        outputs = outputCounts.compactMap { count in
            ports.first { DescriptionCheck.count($0.shape) == count }.map { ($0.name, count) }
        }
        guard outputs.count == outputCounts.count else {
            let counts = outputCounts.map(String.init).joined(separator: " and ")
            throw VisionError(.invalid, "the model '\(path)' does not have outputs of \(counts) numbers")
        }
        input = Tensor(shape: shape)
        do throws(InferenceError) {
            try model.setInput(port.name, to: input)
        } catch {
            throw VisionError(error)
        }
    }

    /// Runs the network on a picture that `draw` writes: red, green, blue in 0…1 (what lies outside is clipped), rows from
    /// the top.
    func run(_ draw: (UnsafeMutableBufferPointer<Float>) -> Void) throws(VisionError) {
        let (low, scale) = (range.low, range.high - range.low)
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
    func output(_ index: Int) throws(VisionError) -> [Float] {
        let (name, count) = outputs[index]
        do throws(InferenceError) {
            let result = try model.withOutput(name) { elements, _ in elements.count == count ? Array(elements) : nil }
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
