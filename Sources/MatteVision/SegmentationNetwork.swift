import Imaging
import Inference

/// A network that tells the people in pictures of one size; for one thread at a time.
///
/// It keeps nothing between pictures: who follows a sequence keeps its `RecurrentState`.
final class SegmentationNetwork {
    let source: ModelSource
    var description: ModelDescription { source.description }
    private let model: Model
    private let input: Tensor
    private let inputName: String
    private let outputName: String
    private let decoder: MaskDecoder

    /// With so many `twins` that may work beside it.
    init(_ source: ModelSource, library: ModelLibrary, twins: Int = 0) throws(VisionError) {
        self.source = source
        let description = source.description
        let (width, height) = (description.input.width, description.input.height)
        let shape = description.input.layout == .channelsLast ? [1, height, width, 3] : [1, 3, height, width]
        model = try library.load(
            source, inputShape: description.input.turnable == true ? shape : nil, inferences: 1 + twins)
        let constants = description.constants ?? []
        let otherInputs = Set((description.state ?? []).map(\.input) + constants.map(\.input))
        let otherOutputs = Set(
            (description.state ?? []).map(\.output) + [description.output.foreground].compactMap(\.self))
        let ports = NetworkPorts(model: model)
        guard let inputPort = ports.input(description.input.name, but: otherInputs),
            let outputPort = ports.output(description.output.name, but: otherOutputs)
        else { throw ports.unnamed }
        try ports.requireInput(inputPort.name, shape: shape)
        for constant in constants { try ports.requireInput(constant.input, shape: constant.shape) }
        for state in description.state ?? [] {
            try ports.requireInput(state.input, shape: state.shape)
            try ports.requireOutput(state.output)
        }
        if let foreground = description.output.foreground { try ports.requireOutput(foreground) }
        try ports.requireNoInputs(but: otherInputs.union([inputPort.name]))
        (inputName, outputName) = (inputPort.name, outputPort.name)
        decoder = MaskDecoder(description: description)
        if !outputPort.shape.contains(-1) { try decoder.check(shape: outputPort.shape) }
        input = Tensor(shape: shape)
        try setInputs()
    }

    private init(twinOf other: SegmentationNetwork) throws(VisionError) {
        (source, decoder) = (other.source, other.decoder)
        (inputName, outputName) = (other.inputName, other.outputName)
        do throws(InferenceError) {
            model = try other.model.makeTwin()
        } catch {
            throw VisionError(error)
        }
        input = Tensor(shape: other.input.shape)
        try setInputs()
    }

    /// The same network, with whose weights it works beside this one.
    func makeTwin() throws(VisionError) -> SegmentationNetwork { try SegmentationNetwork(twinOf: self) }

    private func setInputs() throws(VisionError) {
        do throws(InferenceError) {
            try model.setInput(inputName, to: input)
            for constant in description.constants ?? [] {
                let tensor = Tensor(shape: constant.shape)
                tensor.withUnsafeMutableElements { _ = $0.update(from: constant.values) }
                try model.setInput(constant.input, to: tensor)
            }
        } catch {
            throw VisionError(error)
        }
    }

    /// Writes the probability of a person in each pixel of `picture`, which has the network's size, and gives the people's
    /// own colours, from a network that tells them.
    func segment(
        _ picture: RGBMap, state: inout RecurrentState, into map: inout ScalarMap
    ) throws(VisionError) -> RGBMap? {
        precondition(
            picture.width == description.input.width && picture.height == description.input.height,
            "the picture has the network's size")
        input.fill(with: picture, range: description.input.range, layout: description.input.layout)
        let decoded: Result<Void, VisionError>
        var foreground: Result<RGBMap, VisionError>?
        do throws(InferenceError) {
            try state.enter(model)
            try model.infer()
            try state.take(from: model)
            decoded = try model.withOutput(outputName) { elements, shape in
                Result { () throws(VisionError) in try decoder.decode(elements, shape: shape, into: &map) }
            }
            if let name = description.output.foreground {
                foreground = try model.withOutput(name) { elements, _ in
                    Result { () throws(VisionError) in try decoder.foreground(elements) }
                }
            }
        } catch {
            throw VisionError(error)
        }
        try decoded.get()
        return try foreground?.get()
    }
}
