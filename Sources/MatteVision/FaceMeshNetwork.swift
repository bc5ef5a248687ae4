import Glibc
import Imaging

/// Fits the face mesh to the face in a region of a frame. For one thread at a time.
final class FaceMeshNetwork {
    /// The picture is shrunk by the whole number that leaves the region's side at least this long, so that the grid of the
    /// shrunk pixels stays where it is while the region moves.
    private static let patchSize = 192.0
    /// Pixels of the network's input on each side of one of `view`'s.
    private static let viewStep = 8
    /// How far from its picture the network may see a point, in the picture's sides; what it says beyond is no face.
    private static let reach = 8.0
    /// The largest region, in the frame's longer sides.
    private static let largestRegion = 4.0

    /// The region that was fitted last as a coarse picture: red, green, blue in 0…1 or hardly beyond.
    private(set) var view: [Float] = []
    private let network: SquareNetwork
    private let patch = FramePatch()

    init(_ library: ModelLibrary) throws(VisionError) {
        network = try SquareNetwork(
            library.manifest().faceModel(\.mesh), library: library, outputCounts: [3 * FaceMesh.landmarkCount, 1])
    }

    /// Whether a region of `frame` can be fitted: it has a size and reaches into the frame.
    static func covers(_ region: FaceRegion, of frame: VideoFrame) -> Bool {
        let (width, height) = frame.displaySize
        guard region.side >= 1, region.side <= largestRegion * Double(max(width, height)) else { return false }
        let picture = Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
        return Rectangle(x: 0, y: 0, width: 1, height: 1).applying(region.toFrame).intersection(picture).area > 0
    }

    /// The mesh of the face in `region`, which `covers` the frame.
    func fit(_ region: FaceRegion, in frame: VideoFrame) throws(VisionError) -> FaceMesh {
        let factor = max(1, (region.side / Self.patchSize).rounded(.down))
        let rectangle = Self.rectangle(around: region, of: frame, factor: factor)
        patch.read(frame, rectangle: rectangle, factor: factor)
        let size = network.size
        let toFrame = AffineTransform.scale(1 / Double(size), 1 / Double(size)).then(region.toFrame)
        try network.run { pixels in
            patch.cut(toFrame, into: pixels.baseAddress!, width: size, height: size)
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

    /// The smallest rectangle around the part of `region` that lies in `frame`, by edges of pixels shrunk by `factor`; empty
    /// where there is none.
    private static func rectangle(around region: FaceRegion, of frame: VideoFrame, factor: Double) -> Rectangle {
        let (width, height) = frame.displaySize
        let box = Rectangle(x: 0, y: 0, width: 1, height: 1).applying(region.toFrame)
        // One more pixel on each side for the interpolation between centres.
        let grown = Rectangle(
            x: box.x - factor, y: box.y - factor, width: box.width + 2 * factor, height: box.height + 2 * factor
        ).intersection(Rectangle(x: 0, y: 0, width: Double(width), height: Double(height)))
        let (left, top) = ((grown.x / factor).rounded(.down), (grown.y / factor).rounded(.down))
        return Rectangle(
            x: left * factor, y: top * factor, width: ((grown.maxX / factor).rounded(.up) - left) * factor,
            height: ((grown.maxY / factor).rounded(.up) - top) * factor)
    }
}
