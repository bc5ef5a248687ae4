import Glibc

/// The grid of places that MediaPipe's short-range face detector answers for.
///
/// Each cell of the grid of stride 8 has 2 anchors and each of the grid of stride 16 has 6, row by row; an anchor is the
/// centre of its cell.
struct FaceAnchors {
    /// Numbers for each anchor: centre and size of the box, then six key points.
    static let numbersPerAnchor = 16
    /// The score from which on an anchor holds a face.
    private static let scoreThreshold = 0.5
    /// How far from its picture a detector may see a point, in the picture's sides; what it says beyond is no face.
    private static let reach = 8.0

    /// Centres in 0…1 of the detector's square input.
    let centers: [SIMD2<Double>]
    private let inputSize: Double

    /// The anchors of a detector whose input has `inputSize` pixels on each side.
    init(inputSize: Int) {
        self.inputSize = Double(inputSize)
        centers = [(stride: 8, count: 2), (stride: 16, count: 6)].flatMap { layer in
            let cells = inputSize / layer.stride
            return (0..<cells * cells * layer.count).map { index in
                let cell = index / layer.count
                return (SIMD2(Double(cell % cells), Double(cell / cells)) + 0.5) / Double(cells)
            }
        }
    }

    /// Reads the detector's outputs; points are in 0…1 of its input.
    ///
    /// `regressors` holds `numbersPerAnchor` numbers for each anchor, in pixels of the input and relative to the anchor, and
    /// `logits` one.
    func detections(regressors: [Float], logits: [Float]) -> [FaceDetection] {
        precondition(regressors.count == Self.numbersPerAnchor * centers.count && logits.count == centers.count)
        return centers.indices.compactMap { index in
            let score = 1 / (1 + exp(-Double(logits[index])))
            guard score >= Self.scoreThreshold else { return nil }
            func pair(_ place: Int) -> SIMD2<Double> {
                let start = Self.numbersPerAnchor * index + 2 * place
                return SIMD2(Double(regressors[start]), Double(regressors[start + 1])) / inputSize
            }
            let (center, half) = (pair(0) + centers[index], pair(1) / 2)
            let keyPoints = (2..<Self.numbersPerAnchor / 2).map { pair($0) + centers[index] }
            let points = [center - half, center + half] + keyPoints
            guard points.allSatisfy({ abs($0.x) <= Self.reach && abs($0.y) <= Self.reach }) else { return nil }
            return FaceDetection(score: score, points: points)
        }
    }
}
