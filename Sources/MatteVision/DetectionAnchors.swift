import Glibc

/// The grids of places that a detector answers for.
///
/// Each cell of a grid has a number of anchors, row by row; an anchor is the centre of its cell.
struct DetectionAnchors {
    /// A grid: its cells along each side, and the anchors of each.
    typealias Layer = (cells: Int, count: Int)

    /// How far from its picture a detector may see a point, in the picture's sides; what it says beyond is nothing.
    private static let reach = 8.0

    /// Centres in 0…1 of the detector's square input.
    let centers: [SIMD2<Double>]
    /// Numbers for each anchor: centre and size of the box, then the key points.
    let numbersPerAnchor: Int
    private let inputSize: Double
    private let threshold: Double

    /// The anchors of a detector whose input has `inputSize` pixels on each side, and that gives `keyPoints` points; scores below
    /// `threshold` count as nothing.
    init(inputSize: Int, layers: [Layer], keyPoints: Int, threshold: Double) {
        self.inputSize = Double(inputSize)
        self.threshold = threshold
        numbersPerAnchor = 4 + 2 * keyPoints
        centers = layers.flatMap { layer in
            (0..<layer.cells * layer.cells * layer.count).map { index in
                let cell = index / layer.count
                return (SIMD2(Double(cell % layer.cells), Double(cell / layer.cells)) + 0.5) / Double(layer.cells)
            }
        }
    }

    /// The lengths of the detector's two outputs.
    var outputCounts: [Int] { [numbersPerAnchor * centers.count, centers.count] }

    /// Reads the detector's outputs; points are in 0…1 of its input.
    ///
    /// `regressors` holds `numbersPerAnchor` numbers for each anchor, in pixels of the input and relative to the anchor, and
    /// `logits` one.
    func detections(regressors: [Float], logits: [Float]) -> [Detection] {
        precondition(regressors.count == numbersPerAnchor * centers.count && logits.count == centers.count)
        return centers.indices.compactMap { index in
            let score = 1 / (1 + exp(-Double(logits[index])))
            guard score >= threshold else { return nil }
            func pair(_ place: Int) -> SIMD2<Double> {
                let start = numbersPerAnchor * index + 2 * place
                return SIMD2(Double(regressors[start]), Double(regressors[start + 1])) / inputSize
            }
            let (center, half) = (pair(0) + centers[index], pair(1) / 2)
            let keyPoints = (2..<numbersPerAnchor / 2).map { pair($0) + centers[index] }
            let points = [center - half, center + half] + keyPoints
            guard points.allSatisfy({ abs($0.x) <= Self.reach && abs($0.y) <= Self.reach }) else { return nil }
            return Detection(score: score, points: points)
        }
    }
}
