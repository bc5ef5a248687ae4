import Glibc
import Imaging

/// Tells one body from all else in a square of a frame. For one thread at a time.
///
/// The network is the second one of MediaPipe's BlazePose (Bazarevsky et al., "BlazePose: On-device Real-time Body Pose Tracking",
/// 2020), which gives points of the body and its mask. It was made for people who are seen from head to feet, and knows these
/// better than a segmentation network does. It takes some 14 ms on one core.
final class BodyNetwork {
    /// Numbers of a point: x and y in pixels of the picture, z, and the logits of being visible and of being in the picture.
    private static let pointNumbers = 5
    private static let pointCount = 39
    /// Which of the points are the ankles, the middle of the hips, and as far as the body reaches.
    private static let (ankles, center, reach) = (27...28, 33, 34)
    /// How far from its picture the network may see a point, in the picture's sides; what it says beyond is nobody.
    private static let farthest = 8.0

    let description: ModelDescription
    private let network: SquareNetwork
    private let cutter = FrameCutter()
    /// The last body's mask.
    private var mask: ScalarMap

    init(_ description: ModelDescription, library: ModelLibrary) throws(VisionError) {
        self.description = description
        let size = description.input.width
        mask = ScalarMap(width: size, height: size)
        network = try SquareNetwork(
            description, library: library, outputCounts: [Self.pointNumbers * Self.pointCount, 1, size * size])
    }

    /// The body in `square`, which reaches into `frame`.
    func look(at square: TurnedSquare, in frame: VideoFrame) throws(VisionError) -> Body {
        let size = network.size
        var toFrame = AffineTransform.identity
        try network.run { toFrame = cutter.cut(square, of: frame, size: size, into: $0.baseAddress!) }
        let numbers = try network.output(0).map(Double.init)
        let presence = try Double(network.output(1)[0])
        func place(_ point: Int) -> SIMD2<Double> {
            let (x, y) = toFrame.apply(numbers[Self.pointNumbers * point], numbers[Self.pointNumbers * point + 1])
            return SIMD2(x, y)
        }
        let (width, height) = frame.displaySize
        let picture = Rectangle(x: -0.5, y: -0.5, width: Double(width), height: Double(height))
        func visibility(_ point: Int) -> Double {
            let place = place(point)
            guard picture.contains(x: place.x, y: place.y) else { return 0 }
            return 1 / (1 + exp(-numbers[Self.pointNumbers * point + 3]))
        }
        let isSound = presence >= 0 && numbers.allSatisfy { abs($0) <= Self.farthest * Double(size) }
        try readMask()
        return Body(
            presence: isSound ? presence : 0, wholeness: isSound ? Self.ankles.map(visibility).max()! : 0,
            square: isSound ? TurnedSquare(center: place(Self.center), reach: place(Self.reach)) : square,
            mask: mask, toFrame: toFrame)
    }

    // Beyond the square nobody knows: its border is clear, and what lies beyond is read from there.
    private func readMask() throws(VisionError) {
        let size = network.size
        try network.withOutput(2) { logits in
            mask.values.withUnsafeMutableBufferPointer { mask in
                for y in 1..<size - 1 {
                    // In this order what is no number becomes 0.
                    for x in 1..<size - 1 { mask[y * size + x] = max(0, 1 / (1 + exp(-logits[y * size + x]))) }
                }
            }
        }
    }
}
