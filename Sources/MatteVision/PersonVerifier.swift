import Glibc
import Imaging
import Inference

/// Tells whether what a mask shows is people, by a picture of it and the segmentation network's mask; for one thread at a time.
///
/// The network is our own (Training/README.md): it learned from what segmentation networks take for people, rightly and wrongly.
/// Unlike ``PersonDetector``, which looks for faces and bodies as they are most often seen, it knows people from behind and in part. It
/// takes about a millisecond on one core.
final class PersonVerifier {
    /// How much is added around somebody on each side, of the longer side of their box.
    static let margin = 0.14
    /// Leans, in radians, that turning a frame by quarters does not help; it learned from people who lean by up to ten degrees.
    private static let halfway = 0.4...1.2

    let source: ModelSource
    var description: ModelDescription { source.description }
    private let model: Model
    private let outputName: String
    private let input: Tensor
    private let sampler = FrameSampler()
    private let cutter = FrameCutter()
    private var picture: RGBMap

    init(_ source: ModelSource, library: ModelLibrary) throws(VisionError) {
        self.source = source
        model = try library.load(source)
        let description = source.description
        let ports = NetworkPorts(model: model)
        guard let inputPort = ports.input(description.input.name),
            let outputPort = ports.output(description.output.name)
        else { throw ports.unnamed }
        let (width, height) = (description.input.width, description.input.height)
        let shape = [1, 4, height, width]
        guard model.inputs.count == 1, description.input.layout == .channelsFirst, description.output.kind == .presence,
            NetworkPorts.fits(inputPort.shape, shape), NetworkPorts.fits(outputPort.shape, [1, 1])
        else {
            throw VisionError(
                .invalid,
                "the model '\(model.path)' is no person verifier: that has one input, NCHW, of a picture and a mask, and gives one number"
            )
        }
        outputName = outputPort.name
        input = Tensor(shape: shape)
        picture = RGBMap(width: width, height: height)
        do throws(InferenceError) {
            try model.setInput(inputPort.name, to: input)
            // A network takes memory when it first runs; this one may first be asked after hours.
            try model.infer()
        } catch {
            throw VisionError(error)
        }
    }

    /// The logarithmic odds that the largest part of what `map` shows of `region` of `frame` is people; `mask` is the segmentation
    /// network's own of the same region.
    ///
    /// Who may lean halfway, by `lean` in radians clockwise, is also looked at along their own axes; the larger odds count.
    func logOdds(
        of map: ScalarMap, seenAs mask: ScalarMap, of region: Rectangle, lean: Double = 0, frame: VideoFrame
    ) throws(VisionError) -> Double {
        guard let body = PersonBoxes.find(in: map, of: region).first else { return -.infinity }
        let upright = try logOdds(
            mask, of: region, toUpright: look(at: body, of: region, frame))
        guard Self.halfway.contains(abs(lean)) else { return upright }
        let leaning = try logOdds(
            mask, of: region, toUpright: look(at: body, in: map, of: region, leaning: lean, frame))
        return max(upright, leaning)
    }

    // Of what `picture` shows; `toUpright` leads from edges of its pixels to those of the frame's upright ones.
    private func logOdds(
        _ mask: ScalarMap, of region: Rectangle, toUpright: AffineTransform
    ) throws(VisionError) -> Double {
        input.fill(with: picture, range: description.input.range, layout: .channelsFirst)
        draw(mask, of: region, toUpright)
        do throws(InferenceError) {
            try model.infer()
            return try model.withOutput(outputName) { numbers, _ in numbers.first.map(Double.init) ?? -.infinity }
        } catch {
            throw VisionError(error)
        }
    }

    // Samples the body with what is around it as far as the region goes; gives the way from edges of the picture's pixels to those of
    // the frame's upright ones.
    private func look(
        at body: Rectangle, of region: Rectangle, _ frame: VideoFrame
    ) -> AffineTransform {
        let pixelAspect = frame.uprightPixelAspect
        let room = Self.margin * body.longerSide(pixelAspect: pixelAspect)
        let part = body.grown(by: room, pixelAspect: pixelAspect).intersection(region)
        sampler.sample(frame, source: part, into: &picture)
        return .scale(part.width / Double(picture.width), part.height / Double(picture.height))
            .then(.shift(part.x, part.y))
    }

    // The same of a body that leans, along its own axes.
    private func look(
        at body: Rectangle, in map: ScalarMap, of region: Rectangle, leaning lean: Double, _ frame: VideoFrame
    ) -> AffineTransform {
        let pixelAspect = frame.uprightPixelAspect
        let (across, down) = (region.width / Double(map.width), region.height / Double(map.height))
        let turn = AffineTransform(a: cos(lean), b: -sin(lean), tx: 0, c: sin(lean), d: cos(lean), ty: 0)
        let back = AffineTransform.scale(pixelAspect, 1).then(turn.inverse)
        var (least, most) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
        for y in 0..<map.height {
            for x in 0..<map.width where map.values[y * map.width + x] > 0.5 {
                let place = (x: region.x + (Double(x) + 0.5) * across, y: region.y + (Double(y) + 0.5) * down)
                guard body.contains(x: place.x, y: place.y) else { continue }
                let own = back.apply(place.x, place.y)
                least = pointwiseMin(least, [own.x, own.y])
                most = pointwiseMax(most, [own.x, own.y])
            }
        }
        let room = Self.margin * (most - least).max()
        let (origin, size) = (least - room, most - least + 2 * room)
        let (width, height) = (picture.width, picture.height)
        let scale = size / [Double(width), Double(height)]
        let toShown = AffineTransform.scale(scale.x, scale.y).then(.shift(origin.x, origin.y)).then(turn)
        picture.values.withUnsafeMutableBufferPointer { pixels in
            cutter.cut(
                .shift(0.5, 0.5).then(toShown).then(.shift(-0.5, -0.5)), of: frame, width: width, height: height,
                scale: (scale.x * scale.y).squareRoot(), into: pixels.baseAddress!)
        }
        return toShown.then(.scale(1 / pixelAspect, 1))
    }

    // Bilinearly, sample centres aligned.
    private func draw(_ mask: ScalarMap, of region: Rectangle, _ toUpright: AffineTransform) {
        let (low, scale) = (description.input.range[0], description.input.range[1] - description.input.range[0])
        let (width, height) = (picture.width, picture.height)
        let toMask = AffineTransform.shift(0.5, 0.5).then(toUpright).then(.shift(-region.x, -region.y))
            .then(.scale(Double(mask.width) / region.width, Double(mask.height) / region.height))
            .then(.shift(-0.5, -0.5))
        input.withUnsafeMutableElements { elements in
            let target = elements.baseAddress! + 3 * width * height
            mask.withPlane { plane in
                AffineSampler.sample(plane, as: Float.self, map: toMask, into: target, width: width, height: height)
            }
            for index in 0..<width * height { target[index] = low + scale * target[index] }
        }
    }
}
