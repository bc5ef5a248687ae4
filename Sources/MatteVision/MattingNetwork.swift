import Glibc
import Imaging
import Inference

/// A network that makes alpha of a picture and a coarse mask of it, at any size that is a multiple of its own step; for one
/// thread at a time.
///
/// It gives four planes of half the picture's size, for the four pixels under each of theirs (sub-pixel convolution: Shi et al.,
/// "Real-Time Single Image and Video Super-Resolution", 2016): by how much alpha's logit differs from what the mask says.
final class MattingNetwork {
    let source: ModelSource
    var description: ModelDescription { source.description }
    private let model: Model
    private let inputName: String
    private let outputName: String
    private let enlarger = MapEnlarger()
    /// One for each size that was seen, of which there are a few.
    private var inputs: [[Int]: Tensor] = [:]

    init(_ source: ModelSource, library: ModelLibrary) throws(VisionError) {
        self.source = source
        model = try library.load(source)
        let description = source.description
        let ports = NetworkPorts(model: model)
        guard let inputPort = ports.input(description.input.name),
            let outputPort = ports.output(description.output.name)
        else { throw ports.unnamed }
        guard model.inputs.count == 1, description.input.layout == .channelsFirst,
            description.output.kind == .correction,
            inputPort.shape.count == 4, NetworkPorts.fits(Array(inputPort.shape[..<2]), [1, 4])
        else {
            throw VisionError(
                .invalid,
                "the model '\(model.path)' is no matting network: that has one input, NCHW, of a picture and a coarse mask"
            )
        }
        inputName = inputPort.name
        outputName = outputPort.name
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

    /// Writes the alpha of `picture`, whose size is a `workingSize`, from a coarse mask of any size.
    func matte(_ picture: RGBMap, mask: ScalarMap, into map: inout ScalarMap) throws(VisionError) {
        let (width, height) = (picture.width, picture.height)
        let shape = [1, 4, height, width]
        let input = inputs[shape] ?? Tensor(shape: shape)
        inputs[shape] = input
        input.fill(with: picture, range: description.input.range, layout: .channelsFirst)
        map.resize(width: width, height: height)
        fill(input, with: mask, width: width, height: height, logit: &map)
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

    // The mask into its channel, by the tensor's range, and the logit that it stands for into `logit`.
    private func fill(_ input: Tensor, with mask: ScalarMap, width: Int, height: Int, logit: inout ScalarMap) {
        let (low, scale) = (description.input.range[0], description.input.range[1] - description.input.range[0])
        let count = width * height
        enlarger.prepare(mask, width: width, height: height)
        input.withUnsafeMutableElements { target in
            logit.values.withUnsafeMutableBufferPointer { logit in
                let (channel, logit) = (target.baseAddress! + 3 * count, logit.baseAddress!)
                for y in 0..<height {
                    let (plane, line) = (channel + y * width, logit + y * width)
                    enlarger.row(y, into: plane)
                    for x in 0..<width {
                        line[x] = AlphaCorrection.maskLogit * (2 * plane[x] - 1)
                        plane[x] = low + scale * plane[x]
                    }
                }
            }
        }
    }
}
