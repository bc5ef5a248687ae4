import Imaging

/// Finds people as objects, by a box around what is seen of each: several at once, from whichever side, whole or in part. For one
/// thread at a time.
///
/// The network is SSDLite with MobileNetV2 (Liu et al., "SSD: Single Shot MultiBox Detector", 2016; Sandler et al., "MobileNetV2:
/// Inverted Residuals and Linear Bottlenecks", 2018). It takes some 7 ms on one core. Many videos never need it: it is loaded when it
/// is first asked.
final class BoxDetector {
    /// A score below this, and what is as much less than 1, tells no more.
    private static let least = 0.01
    /// How much is added around somebody on each side, of the longer side of their box.
    private static let margin = 0.14
    /// The intersection over union from which on two boxes are of the same person.
    private static let same = 0.3

    let description: ModelDescription
    private let library: ModelLibrary
    private var loaded: RegionDetector?

    init(_ description: ModelDescription, library: ModelLibrary) {
        self.description = description
        self.library = library
    }

    /// Of a picture of 300 by 300 pixels; boxes have no key points.
    static func anchors(inputSize: Int) -> DetectionAnchors {
        DetectionAnchors(
            inputSize: inputSize, layers: [(19, 3), (10, 6), (5, 6), (3, 6), (2, 6), (1, 6)], keyPoints: 0,
            threshold: least)
    }

    /// How sure it is, 0.01…0.99, that the largest part of what `map` shows of `region` of `frame` is a person.
    func confidence(
        in map: ScalarMap, of region: Rectangle, frame: VideoFrame, pixelAspect: Double
    ) throws(VisionError) -> Double {
        guard let body = PersonBoxes.find(in: map, of: region).first else { return Self.least }
        let (width, height) = frame.uprightSize
        let whole = Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
        let room = Self.margin * body.longerSide(pixelAspect: pixelAspect)
        let near = body.grown(by: room, pixelAspect: pixelAspect).intersection(whole)
        let scores = try detector().detections(in: near, of: frame, pixelAspect: pixelAspect)
            .filter { $0.box.intersectionOverUnion(body) >= Self.same }.map(\.score)
        return min(scores.max() ?? Self.least, 1 - Self.least)
    }

    private func detector() throws(VisionError) -> RegionDetector {
        if let loaded { return loaded }
        let detector = try RegionDetector(description, anchors: Self.anchors, fit: .stretched, library: library)
        loaded = detector
        return detector
    }
}
