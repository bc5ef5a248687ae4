import Imaging

/// Finds people in a part of a frame, whichever way up they are. For one thread at a time.
///
/// The network is the detector of MediaPipe's BlazePose (Bazarevsky et al., "BlazePose: On-device Real-time Body Pose Tracking",
/// 2020). It knows best whoever is largest in the picture, close or from head to feet, from the front and from behind. It takes
/// some 10 ms on one core.
final class PersonDetector {
    /// A score below this is no person's.
    static let least = 0.1

    let description: ModelDescription
    private let network: SquareNetwork
    private let anchors: DetectionAnchors
    private let sampler = FrameSampler()
    private var picture = RGBMap(width: 1, height: 1)

    init(_ description: ModelDescription, library: ModelLibrary) throws(VisionError) {
        self.description = description
        anchors = Self.anchors(inputSize: description.input.width)
        network = try SquareNetwork(description, library: library, outputCounts: anchors.outputCounts)
    }

    /// The detector's anchors; its key points are the middle of the hips, the reach of the body, the middle of the shoulders, and
    /// the reach of the upper body.
    static func anchors(inputSize: Int) -> DetectionAnchors {
        DetectionAnchors(
            inputSize: inputSize, layers: [(8, 2), (16, 2), (32, 6)], keyPoints: 4, threshold: Self.least)
    }

    /// The people in `region` of `frame`, best first; the region and their points are in upright pixels, each `pixelAspect` times
    /// as wide as high. A person's box is that of the face. In a mirror the network sees left and right exchanged; the people it
    /// finds are where they are.
    func detect(
        in region: Rectangle, of frame: VideoFrame, pixelAspect: Double, inMirror: Bool = false
    ) throws(VisionError) -> [Detection] {
        let size = network.size
        let scale = Double(size) / max(region.width * pixelAspect, region.height)
        func side(_ length: Double) -> Int { min(max(Int((length * scale).rounded()), 1), size) }
        let (width, height) = (side(region.width * pixelAspect), side(region.height))
        let (left, top) = ((size - width) / 2, (size - height) / 2)
        picture.resize(width: width, height: height)
        sampler.sample(frame, source: region, into: &picture)
        if inMirror { picture = picture.mirrored }
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
        let (start, toRight) = inMirror ? (left + width, -across) : (left, across)
        let toFrame = AffineTransform(
            a: Double(size) * toRight, b: 0, tx: region.x - Double(start) * toRight, c: 0, d: Double(size) * down,
            ty: region.y - Double(top) * down)
        return try anchors.detections(regressors: network.output(0), logits: network.output(1)).merged()
            .map { $0.applying(toFrame) }
    }
}

extension PersonDetector {
    /// The squares around the bodies of all whom it finds for sure in `region` of `frame`.
    func bodies(in region: Rectangle, of frame: VideoFrame, pixelAspect: Double) throws(VisionError) -> [TurnedSquare] {
        // From edges of upright pixels to index coordinates of the frame as shown.
        let toFrame = AffineTransform.scale(pixelAspect, 1).then(.shift(-0.5, -0.5))
        return try detect(in: region, of: frame, pixelAspect: pixelAspect)
            .filter { $0.score >= PersonPresence.sure }
            .map { $0.applying(toFrame) }
            .map { TurnedSquare(center: $0.hips, reach: $0.reach) }
    }

    /// How much is added around somebody on each side, of the longer side of their box.
    private static let margin = 0.12
    /// The share of a region from which on somebody in it is not looked at more closely than all of it.
    private static let large = 0.6
    /// How much of a detection's box a mask covers where they speak of the same person.
    private static let covered: Float = 0.25

    /// How sure it is that `mask`, that of `region` of `frame`, shows people besides those in the regions `others`, 0…1: by a closer
    /// look at the largest of the mask's parts, and in doubt by one at all of the region.
    func confidence(
        in mask: ScalarMap, of region: Rectangle, besides others: [Rectangle], frame: VideoFrame, pixelAspect: Double,
        inMirror: Bool = false
    ) throws(VisionError) -> Double {
        guard let body = PersonBoxes.find(in: mask, of: region).first else { return 0 }
        func best(in part: Rectangle) throws(VisionError) -> Double {
            try detect(in: part, of: frame, pixelAspect: pixelAspect, inMirror: inMirror).first { person in
                let box = person.box
                return Self.covers(mask, of: region, box)
                    && !others.contains { $0.contains(x: box.midX, y: box.midY) }
            }?.score ?? 0
        }
        let room = Self.margin * body.longerSide(pixelAspect: pixelAspect)
        let closer = body.grown(by: room, pixelAspect: pixelAspect).intersection(region)
        if closer.area > Self.large * region.area { return try best(in: region) }
        let confidence = try best(in: closer)
        return confidence >= PersonPresence.sure ? confidence : max(confidence, try best(in: region))
    }

    // A face beyond the region counts where the mask goes on to that side: people may be headless in a frame.
    private static func covers(_ mask: ScalarMap, of region: Rectangle, _ box: Rectangle) -> Bool {
        let seen = box.intersection(region)
        func range(_ start: Double, _ end: Double, _ count: Int) -> Range<Int> {
            let first = min(max(Int(start * Double(count)), 0), count - 1)
            return first..<min(max(Int((end * Double(count)).rounded(.up)), first + 1), count)
        }
        let columns = range((seen.x - region.x) / region.width, (seen.maxX - region.x) / region.width, mask.width)
        let rows = range((seen.y - region.y) / region.height, (seen.maxY - region.y) / region.height, mask.height)
        var sum: Float = 0
        for y in rows { for x in columns { sum += mask.values[y * mask.width + x] } }
        return sum >= covered * Float(columns.count * rows.count)
    }
}
