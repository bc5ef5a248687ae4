import Imaging
import Inference

/// Tells whether what masks show is people, by a picture of it and two segmentation networks' masks; for one thread at a time.
///
/// The network is our own (Training/README.md): it learned from what segmentation networks take for people, rightly and wrongly.
/// Other than a detector, which looks for faces and bodies as they are most often seen, it knows people from behind and in part. It
/// takes about a millisecond on one core.
final class PersonVerifier {
    /// Masks that the network sees beside the picture.
    private static let masks = 2
    /// How much is added around somebody on each side, of the longer side of their box.
    private static let margin = 0.14

    let description: ModelDescription
    private let model: Model
    private let outputName: String
    private let input: Tensor
    private let sampler = FrameSampler()
    private var picture: RGBMap

    init(_ description: ModelDescription, directory: String, library: ModelLibrary) throws(VisionError) {
        self.description = description
        model = try library.load(description, from: directory)
        let ports = NetworkPorts(model: model)
        guard let inputPort = ports.input(description.input.name),
            let outputPort = ports.output(description.output.name)
        else { throw ports.unnamed }
        let (width, height) = (description.input.width, description.input.height)
        let shape = [1, 3 + Self.masks, height, width]
        guard model.inputs.count == 1, description.input.masks == Self.masks,
            description.input.layout == .channelsFirst, description.output.kind == .presence,
            NetworkPorts.fits(inputPort.shape, shape), NetworkPorts.fits(outputPort.shape, [1, 1])
        else {
            throw VisionError(
                .invalid,
                "the model '\(model.path)' is no person verifier: that has one input, NCHW, of a picture and two masks, and gives one number"
            )
        }
        outputName = outputPort.name
        input = Tensor(shape: shape)
        picture = RGBMap(width: width, height: height)
        do throws(InferenceError) {
            try model.setInput(inputPort.name, to: input)
        } catch {
            throw VisionError(error)
        }
    }

    /// The logarithmic odds that the largest part of what `map` shows of `region` of `frame` is people; `masks` are segmentation
    /// networks' own, one or two of the same region.
    func logOdds(
        of map: ScalarMap, masks: [ScalarMap], of region: Rectangle, frame: VideoFrame, pixelAspect: Double
    ) throws(VisionError) -> Double {
        guard let body = PersonBoxes.find(in: map, of: region).first else { return -.infinity }
        let room = Self.margin * body.longerSide(pixelAspect: pixelAspect)
        let part = body.grown(by: room, pixelAspect: pixelAspect).intersection(region)
        sampler.sample(frame, source: part, into: &picture)
        input.fill(with: picture, range: description.input.range, layout: .channelsFirst)

        for index in 0..<Self.masks {
            draw(masks[min(index, masks.count - 1)], of: region, part: part, channel: 3 + index)
        }
        do throws(InferenceError) {
            try model.infer()
            return try model.withOutput(outputName) { numbers, _ in numbers.first.map(Double.init) ?? -.infinity }
        } catch {
            throw VisionError(error)
        }
    }

    // Bilinearly, sample centres aligned.
    private func draw(_ mask: ScalarMap, of region: Rectangle, part: Rectangle, channel: Int) {
        let (low, scale) = (description.input.range[0], description.input.range[1] - description.input.range[0])
        let (width, height) = (picture.width, picture.height)
        let toRegion = AffineTransform.shift(0.5, 0.5)
            .then(.scale(part.width / Double(width), part.height / Double(height)))
            .then(.shift(part.x - region.x, part.y - region.y))
        let toMask = toRegion.then(
            .scale(Double(mask.width) / region.width, Double(mask.height) / region.height)
        ).then(.shift(-0.5, -0.5))
        input.withUnsafeMutableElements { elements in
            let target = elements.baseAddress! + channel * width * height
            mask.withPlane { plane in
                AffineSampler.sample(plane, as: Float.self, map: toMask, into: target, width: width, height: height)
            }
            for index in 0..<width * height { target[index] = low + scale * target[index] }
        }
    }
}
