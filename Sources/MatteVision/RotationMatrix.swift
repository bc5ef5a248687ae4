/// A turn in space as a 3x3 matrix; the axes are x to the picture's right, y up, z towards the viewer.
struct RotationMatrix: Equatable {
    /// The rows: the x, y and z of a turned point are their products with the point.
    var x: SIMD3<Double>
    var y: SIMD3<Double>
    var z: SIMD3<Double>

    /// First `self`, then `next`.
    func then(_ next: RotationMatrix) -> RotationMatrix {
        func row(_ r: SIMD3<Double>) -> SIMD3<Double> { r.x * x + r.y * y + r.z * z }
        return RotationMatrix(x: row(next.x), y: row(next.y), z: row(next.z))
    }
}

extension RotationMatrix {
    /// The turn of a unit quaternion whose real part is `q[0]`.
    init(quaternion q: SIMD4<Double>) {
        let (w, i, j, k) = (q[0], q[1], q[2], q[3])
        self.init(
            x: [w * w + i * i - j * j - k * k, 2 * (i * j - w * k), 2 * (i * k + w * j)],
            y: [2 * (i * j + w * k), w * w - i * i + j * j - k * k, 2 * (j * k - w * i)],
            z: [2 * (i * k - w * j), 2 * (j * k + w * i), w * w - i * i - j * j + k * k])
    }

    /// The turn that brings the points `from` nearest to the points `to`, whatever their places and sizes: the weighted
    /// least-squares similarity, never a reflection.
    ///
    /// The weights add up to 1. Closed form: B. K. P. Horn, "Closed-form solution of absolute orientation using unit
    /// quaternions", J. Opt. Soc. Am. A 4 (1987).
    init(from: [SIMD3<Double>], to: [SIMD3<Double>], weights: [Double]) {
        precondition(from.count == to.count && from.count == weights.count, "points and weights go together")
        var (centerFrom, centerTo) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
        for i in weights.indices {
            centerFrom += weights[i] * from[i]
            centerTo += weights[i] * to[i]
        }
        // Row r holds the weighted sum of (component r of `from`) times `to`.
        var (sx, sy, sz) = (SIMD3<Double>.zero, SIMD3<Double>.zero, SIMD3<Double>.zero)
        for i in weights.indices {
            let a = weights[i] * (from[i] - centerFrom)
            let b = to[i] - centerTo
            sx += a.x * b
            sy += a.y * b
            sz += a.z * b
        }
        let symmetric = SymmetricMatrix4(rows: [
            [sx.x + sy.y + sz.z, sy.z - sz.y, sz.x - sx.z, sx.y - sy.x],
            [sy.z - sz.y, sx.x - sy.y - sz.z, sx.y + sy.x, sz.x + sx.z],
            [sz.x - sx.z, sx.y + sy.x, -sx.x + sy.y - sz.z, sy.z + sz.y],
            [sx.y - sy.x, sz.x + sx.z, sy.z + sz.y, -sx.x - sy.y + sz.z],
        ])
        self.init(quaternion: symmetric.principalEigenvector)
    }
}
