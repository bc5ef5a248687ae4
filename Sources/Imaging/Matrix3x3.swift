/// A linear map of three components.
struct Matrix3x3 {
    let columns: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

    init(columns a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>) {
        columns = (a, b, c)
    }

    static let identity = Matrix3x3(columns: SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))

    static func * (m: Matrix3x3, v: SIMD3<Double>) -> SIMD3<Double> {
        m.columns.0 * v.x + m.columns.1 * v.y + m.columns.2 * v.z
    }

    /// First `b`, then `a`.
    static func * (a: Matrix3x3, b: Matrix3x3) -> Matrix3x3 {
        Matrix3x3(columns: a * b.columns.0, a * b.columns.1, a * b.columns.2)
    }

    /// The map back; the determinant must not be 0.
    var inverse: Matrix3x3 {
        func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
        }
        let (a, b, c) = columns
        let rows = (cross(b, c), cross(c, a), cross(a, b))
        let determinant = (a * rows.0).sum()
        precondition(determinant != 0, "the map has no inverse")
        return Matrix3x3(
            columns: SIMD3(rows.0.x, rows.1.x, rows.2.x) / determinant,
            SIMD3(rows.0.y, rows.1.y, rows.2.y) / determinant,
            SIMD3(rows.0.z, rows.1.z, rows.2.z) / determinant)
    }
}
