/// A symmetric 4x4 matrix.
struct SymmetricMatrix4 {
    var rows: [SIMD4<Double>]

    /// More than the sweeps that cyclic Jacobi needs for any 4x4 matrix; it stops by itself after five or six.
    private static let sweepLimit = 32

    /// The unit eigenvector of the largest eigenvalue; its sign is open.
    ///
    /// Cyclic Jacobi rotations (G. H. Golub, C. F. Van Loan, "Matrix Computations", 8.5).
    var principalEigenvector: SIMD4<Double> {
        var a = rows
        // Row i is the eigenvector that belongs to a[i][i] in the end.
        var vectors: [SIMD4<Double>] = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        let size = rows.reduce(0) { $0 + ($1 * $1).sum() }
        for _ in 0..<Self.sweepLimit {
            var rest = 0.0
            for p in 0..<3 { for q in (p + 1)..<4 { rest += a[p][q] * a[p][q] } }
            if rest <= size * 1e-32 { break }
            for p in 0..<3 { for q in (p + 1)..<4 { Self.rotate(&a, &vectors, p, q) } }
        }
        let largest = (0..<4).max { a[$0][$0] < a[$1][$1] }!
        let vector = vectors[largest]
        return vector / (vector * vector).sum().squareRoot()
    }

    // The plane rotation of rows and columns p and q that makes a[p][q] zero.
    private static func rotate(_ a: inout [SIMD4<Double>], _ vectors: inout [SIMD4<Double>], _ p: Int, _ q: Int) {
        guard a[p][q] != 0 else { return }
        let ratio = (a[q][q] - a[p][p]) / (2 * a[p][q])
        let t = (ratio < 0 ? -1 : 1) / (abs(ratio) + (ratio * ratio + 1).squareRoot())
        let c = 1 / (t * t + 1).squareRoot()
        let s = t * c
        (a[p], a[q]) = (c * a[p] - s * a[q], s * a[p] + c * a[q])
        for row in 0..<4 { (a[row][p], a[row][q]) = (c * a[row][p] - s * a[row][q], s * a[row][p] + c * a[row][q]) }
        (vectors[p], vectors[q]) = (c * vectors[p] - s * vectors[q], s * vectors[p] + c * vectors[q])
    }
}
