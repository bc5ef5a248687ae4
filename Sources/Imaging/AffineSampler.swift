/// Reads a plane at the points that an affine map gives: a rotated crop.
public enum AffineSampler {
    /// Writes `width` x `height` values of component `component`, for samples of `step` of them; target (i, j) reads the plane at
    /// `map`(i, j), interpolated bilinearly between sample centres at whole coordinates. Outside the plane its border is
    /// repeated.
    public static func sample<T: Interpolated>(
        _ plane: Plane, as type: T.Type, step: Int = 1, component: Int = 0, map: AffineTransform,
        into target: UnsafeMutablePointer<Float>, width: Int, height: Int
    ) {
        let input = plane.row(0, as: type) + component
        let perRow = plane.bytesPerRow / MemoryLayout<T>.stride
        let (lastX, lastY) = (Float(plane.width - 1), Float(plane.height - 1))
        let (lastColumn, lastRow) = (plane.width - 1, plane.height - 1)
        let (a, c) = (Float(map.a), Float(map.c))
        for j in 0..<height {
            let startX = Float(map.b * Double(j) + map.tx)
            let startY = Float(map.d * Double(j) + map.ty)
            let row = target + j &* width
            for i in 0..<width {
                let x = min(max(startX + a * Float(i), 0), lastX)
                let y = min(max(startY + c * Float(i), 0), lastY)
                let (x0, y0) = (Int(x), Int(y))
                let (fx, fy) = (x - Float(x0), y - Float(y0))
                let right = x0 < lastColumn ? step : 0
                let below = y0 < lastRow ? perRow : 0
                let pixel = input + (y0 &* perRow &+ x0 &* step)
                let (upperLeft, upperRight) = (pixel[0].asFloat, pixel[right].asFloat)
                let (lowerLeft, lowerRight) = (pixel[below].asFloat, pixel[below &+ right].asFloat)
                let upper = upperLeft + (upperRight - upperLeft) * fx
                let lower = lowerLeft + (lowerRight - lowerLeft) * fx
                row[i] = upper + (lower - upper) * fy
            }
        }
    }
}

/// A component that `AffineSampler` reads.
public protocol Interpolated {
    var asFloat: Float { get }
}

extension UInt8: Interpolated {
    public var asFloat: Float { Float(self) }
}

extension UInt16: Interpolated {
    public var asFloat: Float { Float(self) }
}

extension Float: Interpolated {
    public var asFloat: Float { self }
}
