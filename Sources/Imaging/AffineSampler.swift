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
        let (lastColumn, lastRow) = (plane.width - 1, plane.height - 1)
        let (lastX, lastY) = (lastColumn << FixedPoint.bits, lastRow << FixedPoint.bits)
        let (stepX, stepY) = (FixedPoint.value(map.a), FixedPoint.value(map.c))
        for j in 0..<height {
            var x = FixedPoint.value(map.b * Double(j) + map.tx)
            var y = FixedPoint.value(map.d * Double(j) + map.ty)
            let row = target + j &* width
            for i in 0..<width {
                let (inX, inY) = (min(max(x, 0), lastX), min(max(y, 0), lastY))
                let (column, line) = (inX &>> FixedPoint.bits, inY &>> FixedPoint.bits)
                let pixel = input + (line &* perRow &+ column &* step)
                row[i] = T.interpolate(
                    pixel, right: column < lastColumn ? step : 0, below: line < lastRow ? perRow : 0,
                    across: inX & FixedPoint.fraction, down: inY & FixedPoint.fraction)
                x &+= stepX
                y &+= stepY
            }
        }
    }

    /// The same, for a plane of a picture in `format`.
    static func sample(
        _ plane: Plane, of format: PixelFormat, step: Int, component: Int, map: AffineTransform,
        into target: UnsafeMutablePointer<Float>, width: Int, height: Int
    ) {
        func read<T: Interpolated>(_ type: T.Type) {
            sample(
                plane, as: type, step: step, component: component, map: map, into: target, width: width, height: height)
        }
        if format.bytesPerComponent == 1 { read(UInt8.self) } else { read(UInt16.self) }
    }
}

/// Coordinates as whole numbers, whose steps add up without conversions.
private enum FixedPoint {
    static let bits = 32
    static let fraction = (1 << bits) - 1

    /// What lies far outside of any picture stays there.
    static func value(_ coordinate: Double) -> Int {
        Int(min(max(coordinate, -0x1p28), 0x1p28) * Double(1 << bits))
    }
}

/// A component that `AffineSampler` reads.
public protocol Interpolated {
    /// The value between four components; `across` and `down` count in parts of 2^32.
    static func interpolate(
        _ pixel: UnsafePointer<Self>, right: Int, below: Int, across: Int, down: Int
    ) -> Float
}

extension FixedWidthInteger where Self: UnsignedInteger {
    // In whole numbers of 15 bits after the point: up to 16 bits before it, twice interpolated, they fit 64.
    @inline(__always)
    fileprivate static func wholeInterpolation(
        _ pixel: UnsafePointer<Self>, _ right: Int, _ below: Int, _ across: Int, _ down: Int
    ) -> Float {
        let (fx, fy) = (across &>> 17, down &>> 17)
        let (upperLeft, upperRight) = (Int(pixel[0]), Int(pixel[right]))
        let (lowerLeft, lowerRight) = (Int(pixel[below]), Int(pixel[below &+ right]))
        let upper = upperLeft &<< 15 &+ (upperRight &- upperLeft) &* fx
        let lower = lowerLeft &<< 15 &+ (lowerRight &- lowerLeft) &* fx
        return Float(upper &<< 15 &+ (lower &- upper) &* fy) * 0x1p-30
    }
}

extension UInt8: Interpolated {
    public static func interpolate(
        _ pixel: UnsafePointer<UInt8>, right: Int, below: Int, across: Int, down: Int
    ) -> Float { wholeInterpolation(pixel, right, below, across, down) }
}

extension UInt16: Interpolated {
    public static func interpolate(
        _ pixel: UnsafePointer<UInt16>, right: Int, below: Int, across: Int, down: Int
    ) -> Float { wholeInterpolation(pixel, right, below, across, down) }
}

extension Float: Interpolated {
    public static func interpolate(
        _ pixel: UnsafePointer<Float>, right: Int, below: Int, across: Int, down: Int
    ) -> Float {
        let (fx, fy) = (Float(across) * 0x1p-32, Float(down) * 0x1p-32)
        let upper = pixel[0] + (pixel[right] - pixel[0]) * fx
        let lower = pixel[below] + (pixel[below &+ right] - pixel[below]) * fx
        return upper + (lower - upper) * fy
    }
}
