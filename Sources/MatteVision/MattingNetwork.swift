import Glibc
import Imaging
import Inference

/// A network that makes alpha of a picture and coarse masks of it, at any size that is a multiple of its own step; for one
/// thread at a time.
///
/// It gives four planes of half the picture's size, for the four pixels under each of theirs (sub-pixel convolution: Shi et al.,
/// "Real-Time Single Image and Video Super-Resolution", 2016): by how much alpha's logit differs from what the masks say.
final class MattingNetwork {
    let description: ModelDescription
    private let model: Model
    private let inputName: String
    private let outputName: String
    private let enlargers: [MapEnlarger]
    /// One for each size that was seen, of which there are a few.
    private var inputs: [[Int]: Tensor] = [:]

    init(_ description: ModelDescription, directory: String, library: ModelLibrary) throws(VisionError) {
        self.description = description
        model = try library.load(description, from: directory)
        let ports = NetworkPorts(model: model)
        guard let inputPort = ports.input(description.input.name),
            let outputPort = ports.output(description.output.name)
        else { throw ports.unnamed }
        guard model.inputs.count == 1, let masks = description.input.masks, description.input.layout == .channelsFirst,
            description.output.kind == .correction,
            inputPort.shape.count == 4, NetworkPorts.fits(Array(inputPort.shape[..<2]), [1, 3 + masks])
        else {
            throw VisionError(
                .invalid,
                "the model '\(model.path)' is no matting network: that has one input, NCHW, of a picture and coarse masks"
            )
        }
        inputName = inputPort.name
        outputName = outputPort.name
        enlargers = (0..<masks).map { _ in MapEnlarger() }
    }

    /// The size, near `pixels` in all, at which the network sees a region of `width` by `height` pixels; never much larger than
    /// it.
    ///
    /// The runtime prepares itself for each new size, at the cost of some frames: aspects and pixel counts are taken from a few,
    /// so that a region may follow people without bringing new ones all the time.
    func workingSize(width: Double, height: Double, pixels: Int) -> (width: Int, height: Int) {
        let aspect = Self.rounded(width / height, step: 1.25)
        let count = min(Double(pixels), Self.rounded(width * height / Double(pixels), step: 2) * Double(pixels))
        func fitted(_ length: Double, _ step: Int) -> Int { max(1, Int((length / Double(step)).rounded())) * step }
        return (
            fitted((count * aspect).squareRoot(), description.input.width),
            fitted((count / aspect).squareRoot(), description.input.height)
        )
    }

    // The nearest power of `step`.
    private static func rounded(_ value: Double, step: Double) -> Double {
        pow(step, (log(value) / log(step)).rounded())
    }

    /// Writes the alpha of `picture`, whose size is a `workingSize`, from coarse masks of any size; the first stands in for
    /// masks that are not there.
    func matte(_ picture: RGBMap, masks: [ScalarMap], into map: inout ScalarMap) throws(VisionError) {
        let (width, height) = (picture.width, picture.height)
        let shape = [1, 3 + enlargers.count, height, width]
        let input = inputs[shape] ?? Tensor(shape: shape)
        inputs[shape] = input
        input.fill(with: picture, range: description.input.range, layout: .channelsFirst)
        map.resize(width: width, height: height)
        collect(masks, width: width, height: height, sum: &map, into: input)
        var isWhole = false
        do throws(InferenceError) {
            try model.setInput(inputName, to: input)
            try model.infer()
            isWhole = try model.withOutput(outputName) { correction, shape in
                guard shape == [1, 4, height / 2, width / 2] else { return false }
                AlphaCorrection.apply(correction, to: &map)
                return true
            }
        } catch {
            throw VisionError(error)
        }
        guard isWhole else {
            throw VisionError(
                .invalid, "the model '\(model.path)' does not give four values for each four of its picture's pixels")
        }
    }

    // The masks into the tensor, by its range, and the logit that they stand for into `sum`.
    private func collect(_ masks: [ScalarMap], width: Int, height: Int, sum: inout ScalarMap, into input: Tensor) {
        let (low, scale) = (description.input.range[0], description.input.range[1] - description.input.range[0])
        let weight = AlphaCorrection.maskLogit * 2 / Float(enlargers.count)
        let missing = max(0, enlargers.count - masks.count)
        input.withUnsafeMutableElements { target in
            sum.values.withUnsafeMutableBufferPointer { sum in
                let (first, sum) = (target.baseAddress! + 3 * width * height, sum.baseAddress!)
                sum.update(repeating: -AlphaCorrection.maskLogit, count: width * height)
                for (channel, (mask, enlarger)) in zip(masks, enlargers).enumerated() {
                    let weight = channel == 0 ? weight * Float(1 + missing) : weight
                    enlarger.prepare(mask, width: width, height: height)
                    for y in 0..<height {
                        let (plane, sum) = (first + (channel * height + y) * width, sum + y * width)
                        enlarger.row(y, into: plane)
                        for x in 0..<width {
                            sum[x] += weight * plane[x]
                            plane[x] = low + scale * plane[x]
                        }
                    }
                }
                for channel in enlargers.count - missing..<enlargers.count {
                    (first + channel * width * height).update(from: first, count: width * height)
                }
            }
        }
    }
}
