import Imaging

/// Finds people as objects, by a box around what is seen of each: from whichever side, whole or in part. For one thread at a time.
///
/// The network is SSDLite with MobileNetV2 (Liu et al., "SSD: Single Shot MultiBox Detector", 2016; Sandler et al., "MobileNetV2:
/// Inverted Residuals and Linear Bottlenecks", 2018). It takes some 7 ms on one core.
final class ObjectDetector {
    /// A score below this, and what is as much less than 1, tells no more.
    private static let least = 0.01

    let source: ModelSource
    private let detector: RegionDetector

    init(_ source: ModelSource, library: ModelLibrary) throws(VisionError) {
        self.source = source
        detector = try RegionDetector(source, anchors: Self.anchors, fit: .stretched, library: library)
        // It may first be asked after hours, and memory is to stay as it is.
        try detector.warmUp()
    }

    /// Of a picture of 300 by 300 pixels; boxes have no key points.
    static func anchors(inputSize: Int) -> DetectionAnchors {
        DetectionAnchors(
            inputSize: inputSize, layers: [(19, 3), (10, 6), (5, 6), (3, 6), (2, 6), (1, 6)], keyPoints: 0,
            threshold: least)
    }

    /// How sure it is, 0.01…0.99, that the largest part of what `map` shows of `region` of `frame` is a person besides those in the
    /// regions `others`. It sees as much around them as the verifier, up to the frame's edge.
    func confidence(
        in map: ScalarMap, of region: Rectangle, besides others: [Rectangle] = [], frame: VideoFrame
    ) throws(VisionError) -> Double {
        guard let body = PersonBoxes.find(in: map, of: region).first else { return Self.least }
        let (width, height) = frame.uprightSize
        let whole = Rectangle(width: width, height: height)
        let pixelAspect = frame.uprightPixelAspect
        let room = PersonVerifier.margin * body.longerSide(pixelAspect: pixelAspect)
        let near = body.grown(by: room, pixelAspect: pixelAspect).intersection(whole)
        let scores = try detector.detections(in: near, of: frame)
            .filter { found in
                found.overlaps(body) && !others.contains { $0.contains(x: found.box.midX, y: found.box.midY) }
            }.map(\.score)
        return min(scores.max() ?? Self.least, 1 - Self.least)
    }
}
