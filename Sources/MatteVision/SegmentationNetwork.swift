import Glibc
import Imaging
import Inference

/// One segmentation network at work on a sequence of pictures; for one thread at a time.
final class SegmentationNetwork {
    let description: ModelDescription
    /// The picture that the network last saw: red, green, blue (0…1) in rows, at the network's input size.
    private(set) var picture: [Float]
    private let model: Model
    private let input: Tensor
    private let inputName: String
    private let outputName: String
    private var states: [(description: ModelDescription.State, tensor: Tensor)] = []
    private let sampler = FrameSampler()
    private let sampling: Sampling

    /// How a frame is brought to the network's size.
    enum Sampling {
        /// Antialiased, sample centres aligned.
        case area
        /// MediaPipe's: bilinear without antialiasing, corners aligned; only to compare with its own results.
        case cornerAligned
    }

    init(
        _ description: ModelDescription, directory: String, library: ModelLibrary, sampling: Sampling = .area
    ) throws(VisionError) {
        self.description = description
        self.sampling = sampling
        model = try library.load(description, from: directory)
        let size = (description.input.width, description.input.height)
        let shape = description.input.layout == .channelsLast ? [1, size.1, size.0, 3] : [1, 3, size.1, size.0]
        let stateInputs = Set((description.state ?? []).map(\.input))
        let stateOutputs = Set((description.state ?? []).map(\.output))
        guard
            let inputPort = model.inputs.first(where: { port in
                description.input.name.map { port.name == $0 } ?? !stateInputs.contains(port.name)
            }),
            let outputPort = model.outputs.first(where: { port in
                description.output.name.map { port.name == $0 } ?? !stateOutputs.contains(port.name)
            })
        else {
            throw VisionError(
                .invalid, "the model '\(model.path)' does not have the input and output that its description names")
        }
        guard inputPort.shape.count == 4, zip(inputPort.shape, shape).allSatisfy({ $0 == -1 || $0 == $1 }) else {
            throw VisionError(
                .invalid,
                "the model '\(model.path)' takes an input of \(inputPort.shape), but its description says \(shape)")
        }
        guard description.input.range.count == 2 else {
            throw VisionError(.invalid, "the description of '\(model.path)' needs two numbers as the input's range")
        }
        inputName = inputPort.name
        outputName = outputPort.name
        input = Tensor(shape: shape)
        picture = Array(repeating: 0, count: 3 * size.0 * size.1)
        do throws(InferenceError) {
            try model.setInput(inputName, to: input)
        } catch {
            throw VisionError(error)
        }
        forget()
    }

    /// Forgets the recurrent state.
    func forget() {
        states = (description.state ?? []).map { ($0, Tensor(shape: $0.shape)) }
    }

    /// Brings the rectangle `source` (upright pixels) of `frame` into `picture`.
    func look(at frame: VideoFrame, source: Rectangle) {
        let (width, height) = (description.input.width, description.input.height)
        picture.withUnsafeMutableBufferPointer { picture in
            switch sampling {
            case .area: sampler.sample(frame, source: source, width: width, height: height, into: picture)
            case .cornerAligned:
                let (fullWidth, fullHeight) = (Int(source.width), Int(source.height))
                let full = UnsafeMutableBufferPointer<Float>.allocate(capacity: 3 * fullWidth * fullHeight)
                defer { full.deallocate() }
                sampler.sample(frame, source: source, width: fullWidth, height: fullHeight, into: full)
                AffineSampler.sample(
                    UnsafeBufferPointer(full), sourceWidth: fullWidth, sourceHeight: fullHeight,
                    map: .scale(source.width / Double(width), source.height / Double(height)), into: picture,
                    width: width, height: height)
            }
        }
    }

    /// Runs on `picture`, and returns the probability of a person in each of its pixels.
    func segment() throws(VisionError) -> ScalarMap {
        fillInput()
        do throws(InferenceError) {
            for state in states { try model.setInput(state.description.input, to: state.tensor) }
            try model.infer()
            for index in states.indices {
                states[index].tensor = try model.withOutput(states[index].description.output) { elements, shape in
                    let tensor = Tensor(shape: shape)
                    tensor.withUnsafeMutableElements { _ = $0.update(from: elements) }
                    return tensor
                }
            }
            let kind = description.output.kind
            return try model.withOutput(outputName) { elements, shape in
                Self.map(of: elements, shape: shape, kind: kind)
            }
        } catch {
            throw VisionError(error)
        }
    }

    private func fillInput() {
        let (low, high) = (description.input.range[0], description.input.range[1])
        let count = description.input.width * description.input.height
        let isPlanar = description.input.layout == .channelsFirst
        input.withUnsafeMutableElements { target in
            picture.withUnsafeBufferPointer { source in
                if isPlanar {
                    for i in 0..<count {
                        for component in 0..<3 {
                            let value = min(max(source[3 &* i &+ component], 0), 1)
                            target[component &* count &+ i] = low + (high - low) * value
                        }
                    }
                } else {
                    for i in 0..<3 * count { target[i] = low + (high - low) * min(max(source[i], 0), 1) }
                }
            }
        }
    }

    // The map is the last but N and C dimensions, whichever order they come in: C is 1 for the kinds that are understood.
    private static func map(
        of elements: UnsafeBufferPointer<Float>, shape: [Int], kind: ModelDescription.Output.Kind
    ) -> ScalarMap {
        let sizes = shape.filter { $0 != 1 }
        let (height, width) = sizes.count == 2 ? (sizes[0], sizes[1]) : (1, max(1, elements.count))
        var values = Array(elements)
        if kind == .logits { for i in values.indices { values[i] = 1 / (1 + exp(-values[i])) } }
        return ScalarMap(width: width, height: height, values: values)
    }
}
