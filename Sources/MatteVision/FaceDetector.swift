import Imaging

/// Finds faces in a frame, or a part of it. For one thread at a time.
///
/// The network knows faces that stand roughly upright (to some 60 degrees), hence the search in the frame turned by quarters.
/// Points are in pixels of the frame as it is shown (`VideoFrame.displaySize`), as index coordinates.
final class FaceDetector {
    /// What a search looks at.
    enum Search: Equatable {
        /// The upright frame alone; only detections that need no comparison with the turned ones count.
        case upright
        /// The upright frame and, unless all faces in it are sure, the three turned ones.
        case uprightFirst
        /// The upright frame and the three turned ones.
        case everyTurn
        /// One of the upright frame's parts, for faces that are too small in the whole. Parts are counted from 0, and over again
        /// after the last.
        case part(Int)
    }

    /// An upright detection with this score needs no look at the turned frames. An upside-down face can be taken for an
    /// upright one with wrong key points, but hardly ever with such a score.
    private static let sureScore = 0.85
    /// In a part, detections with less don't count: lower ones of turned faces have wrong key points too often.
    private static let partScore = 0.7
    /// The frame is first shrunk by the whole number that leaves its longer side at least this long.
    private static let patchSize = 512

    private let network: SquareNetwork
    private let anchors: DetectionAnchors
    private let patch = FramePatch()

    init(_ source: ModelSource, library: ModelLibrary) throws(VisionError) {
        anchors = Self.anchors(inputSize: source.description.input.width)
        network = try SquareNetwork(source, library: library, outputCounts: anchors.outputCounts)
    }

    /// Those of MediaPipe's short-range detector (BlazeFace).
    static func anchors(inputSize: Int) -> DetectionAnchors {
        DetectionAnchors(
            inputSize: inputSize, layers: [(inputSize / 8, 2), (inputSize / 16, 6)], keyPoints: 6, threshold: 0.5)
    }

    /// The faces in `frame`, best first; boxes of different faces hardly overlap.
    func detect(_ search: Search, in frame: VideoFrame) throws(VisionError) -> [Detection] {
        defer { patch.letGo() }
        let (width, height) = frame.displaySize
        if case .part(let index) = search {
            let parts = Self.parts(width: width, height: height)
            return try detect(in: parts[index % parts.count], of: frame)
        }
        read(frame, rectangle: Rectangle(width: width, height: height))
        func detections(turnedBy quarters: Int) throws(VisionError) -> [Detection] {
            let square = Self.square(turnedBy: quarters, width: width, height: height)
            return try detect(in: square, width: width, height: height)
        }
        let upright = try detections(turnedBy: 0)
        let isSure = !upright.isEmpty && upright.allSatisfy { $0.score >= Self.sureScore }
        if isSure, search != .everyTurn { return upright }
        if search == .upright { return [] }
        var all = upright
        for quarters in 1...3 { all += try detections(turnedBy: quarters) }
        return all.bestOfOverlapping()
    }

    /// How many parts a frame has.
    static func partCount(of frame: VideoFrame) -> Int {
        let (width, height) = frame.displaySize
        return parts(width: width, height: height).count
    }

    /// The squares that cover a frame of `width` by `height` pixels, each of half its longer side. They overlap by half, so that a
    /// face that one cuts is whole in another.
    static func parts(width: Int, height: Int) -> [Rectangle] {
        let side = Double(max(width, height)) / 2
        func starts(_ length: Double) -> [Double] {
            let steps = max(0, ((length - side) / (side / 2)).rounded(.up))
            guard steps > 0 else { return [(length - side) / 2] }
            return (0...Int(steps)).map { Double($0) / steps * (length - side) }
        }
        return starts(Double(height)).flatMap { y in
            starts(Double(width)).map { x in Rectangle(x: x, y: y, width: side, height: side) }
        }
    }

    /// The faces in `part`, a square of the upright frame.
    private func detect(in part: Rectangle, of frame: VideoFrame) throws(VisionError) -> [Detection] {
        let (width, height) = frame.displaySize
        read(
            frame,
            rectangle: part.intersection(Rectangle(width: width, height: height)))
        let square = AffineTransform(a: part.width, b: 0, tx: part.x, c: 0, d: part.height, ty: part.y)
        return try detect(in: square, width: width, height: height).filter { $0.score >= Self.partScore }
    }

    /// Takes in `rectangle` of `frame`, small enough for the network.
    private func read(_ frame: VideoFrame, rectangle: Rectangle) {
        let longerSide = Int(max(rectangle.width, rectangle.height))
        patch.read(frame, rectangle: rectangle, factor: Double(max(1, longerSide / Self.patchSize)))
    }

    /// The faces that stand upright in the square that `toFrame` takes 0…1 to, of the frame of `width` by `height` pixels.
    private func detect(in toFrame: AffineTransform, width: Int, height: Int) throws(VisionError) -> [Detection] {
        let size = network.size
        let map = AffineTransform.scale(1 / Double(size), 1 / Double(size)).then(toFrame)
        try network.run { pixels in
            patch.cut(map, into: pixels.baseAddress!, width: size, height: size)
            Self.blacken(pixels, size: size, outside: map, width: width, height: height)
        }
        return try anchors.detections(regressors: network.output(0), logits: network.output(1)).merged()
            .map { $0.applying(toFrame) }
    }

    /// From 0…1 of the square around the turned frame's middle to the frame.
    private static func square(turnedBy quarters: Int, width: Int, height: Int) -> AffineTransform {
        let side = Double(max(width, height))
        let (c, s): (Double, Double) = [(side, 0), (0, side), (-side, 0), (0, -side)][quarters]
        return AffineTransform(
            a: c, b: s, tx: (Double(width) - c - s) / 2, c: -s, d: c, ty: (Double(height) + s - c) / 2)
    }

    /// Makes the pixels black that lie beyond the frame's edges.
    private static func blacken(
        _ pixels: UnsafeMutableBufferPointer<Float>, size: Int, outside map: AffineTransform, width: Int, height: Int
    ) {
        let (right, bottom) = (Double(width) - 0.5, Double(height) - 0.5)
        for j in 0..<size {
            for i in 0..<size {
                let (x, y) = map.apply(Double(i), Double(j))
                if x >= -0.5 && x <= right && y >= -0.5 && y <= bottom { continue }
                for component in 0..<3 { pixels[3 * (j * size + i) + component] = 0 }
            }
        }
    }
}
