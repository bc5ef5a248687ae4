import Imaging

/// Runs a detector's network on a part of a frame, whichever way up that is. For one thread at a time.
final class RegionDetector {
    /// How a part of a frame fills the network's square picture.
    enum Fit {
        /// As wide and high as it is, in the middle of black.
        case letterboxed
        /// All of the picture, squeezed.
        case stretched
    }

    private let fit: Fit
    private let network: SquareNetwork
    private let anchors: DetectionAnchors
    private let sampler = FrameSampler()
    private var picture = RGBMap(width: 1, height: 1)

    /// Loads the network of `source`, whose anchors are `anchors` of its input's size.
    init(
        _ source: ModelSource, anchors: (_ inputSize: Int) -> DetectionAnchors, fit: Fit = .letterboxed,
        library: ModelLibrary
    ) throws(VisionError) {
        self.fit = fit
        self.anchors = anchors(source.description.input.width)
        network = try SquareNetwork(source, library: library, outputCounts: self.anchors.outputCounts)
    }

    /// Takes the memory that a look needs, of which a network takes its own when it first runs.
    func warmUp() throws(VisionError) {
        picture.resize(width: network.size, height: network.size)
        try network.run { $0.update(repeating: 0) }
    }

    /// What it finds in `region` of `frame`, each face or person once, best first; the region and the detections' points are in
    /// upright pixels.
    func detect(in region: Rectangle, of frame: VideoFrame) throws(VisionError) -> [Detection] {
        try detections(in: region, of: frame).merged()
    }

    /// What each anchor says that is not nothing, as ``detect(in:of:)`` tells it.
    func detections(in region: Rectangle, of frame: VideoFrame) throws(VisionError) -> [Detection] {
        let (size, pixelAspect) = (network.size, frame.uprightPixelAspect)
        let scale = Double(size) / max(region.width * pixelAspect, region.height)
        func side(_ length: Double) -> Int {
            fit == .stretched ? size : min(max(Int((length * scale).rounded()), 1), size)
        }
        let (width, height) = (side(region.width * pixelAspect), side(region.height))
        let (left, top) = ((size - width) / 2, (size - height) / 2)
        picture.resize(width: width, height: height)
        sampler.sample(frame, source: region, into: &picture)
        try network.run { pixels in
            pixels.update(repeating: 0)
            picture.values.withUnsafeBufferPointer { source in
                for y in 0..<height {
                    let target = pixels.baseAddress! + 3 * ((top + y) * size + left)
                    target.update(from: source.baseAddress! + 3 * y * width, count: 3 * width)
                }
            }
        }
        // From 0…1 of the network's picture to the frame.
        let (across, down) = (region.width / Double(width), region.height / Double(height))
        let toFrame = AffineTransform(
            a: Double(size) * across, b: 0, tx: region.x - Double(left) * across, c: 0, d: Double(size) * down,
            ty: region.y - Double(top) * down)
        return try anchors.detections(regressors: network.output(0), logits: network.output(1))
            .map { $0.applying(toFrame) }
    }
}
