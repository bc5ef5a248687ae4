import Glibc
import Imaging

/// Fits the face mesh to the face in a region of a frame. For one thread at a time.
final class FaceMeshNetwork {
    /// Pixels of the network's input on each side of one of `view`'s.
    private static let viewStep = 8
    /// How far from its picture the network may see a point, in the picture's sides; what it says beyond is no face.
    private static let reach = 8.0

    /// The region that was fitted last as a coarse picture: red, green, blue in 0…1 or hardly beyond.
    private(set) var view: [Float] = []
    private let network: SquareNetwork
    private let cutter = FrameCutter()

    init(_ source: ModelSource, library: ModelLibrary) throws(VisionError) {
        network = try SquareNetwork(source, library: library, outputCounts: [3 * FaceMesh.landmarkCount, 1])
    }

    /// The mesh of the face in `region`, which reaches into the frame.
    func fit(_ region: TurnedSquare, in frame: VideoFrame) throws(VisionError) -> FaceMesh {
        let size = network.size
        var toFrame = AffineTransform.identity
        try network.run { pixels in
            toFrame = cutter.cut(region, of: frame, size: size, into: pixels.baseAddress!)
            look(at: pixels)
        }
        let numbers = try network.output(0).map(Double.init)
        // z comes in the unit of x and y.
        let depth = region.side / Double(size)
        let landmarks = (0..<FaceMesh.landmarkCount).map { index in
            let (x, y) = toFrame.apply(numbers[3 * index], numbers[3 * index + 1])
            return SIMD3(x, y, numbers[3 * index + 2] * depth)
        }
        let logit = try Double(network.output(1)[0])
        let isSound = !logit.isNaN && numbers.allSatisfy { abs($0) <= Self.reach * Double(size) }
        guard isSound else {
            return FaceMesh(landmarks: Array(repeating: .zero, count: FaceMesh.landmarkCount), presence: 0)
        }
        return FaceMesh(landmarks: landmarks, presence: 1 / (1 + exp(-logit)))
    }

    private func look(at pixels: UnsafeMutableBufferPointer<Float>) {
        let (size, step) = (network.size, Self.viewStep)
        let columns = size / step
        let scale = 1 / Float(step * step)
        view = Array(repeating: 0, count: 3 * columns * columns)
        view.withUnsafeMutableBufferPointer { view in
            for y in 0..<columns * step {
                let row = pixels.baseAddress! + 3 * y * size
                let means = view.baseAddress! + 3 * (y / step) * columns
                for column in 0..<columns {
                    for x in column * step..<(column + 1) * step {
                        for component in 0..<3 {
                            means[3 &* column &+ component] += row[3 &* x &+ component] * scale
                        }
                    }
                }
            }
        }
    }
}
