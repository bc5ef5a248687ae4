import Imaging

/// Multiplies the colours of pictures by their alpha, in the format that they have.
///
/// A code value v becomes (v - zero) * alpha + zero, rounded to nearest, halves away from zero: RGB's zero is 0, luma's the
/// black level of the range, chroma's the neutral middle. The alpha of a chroma sample is the mean of the pixels that it covers.
/// Used by one thread at a time.
final class AlphaPremultiplier {
    private let pool = PixelBufferPool()

    /// The picture with its colours multiplied; one without alpha comes back as it is.
    func premultiply(_ source: PixelBuffer, isFullRange: Bool) -> PixelBuffer {
        let format = source.format
        let isPacked = format.colorModel == .rgb && format.planes[0].componentCount == 4
        guard isPacked || format.hasAlphaPlane else { return source }
        var target = pool.makeBuffer(format: format, width: source.width, height: source.height)
        source.withPlanes { planes in
            target.withMutablePlanes { targets in
                if isPacked {
                    Self.multiplyPixels(planes[0], to: targets[0])
                } else if format.bytesPerComponent == 1 {
                    Self.multiplyPlanes(planes, to: targets, format, isFullRange: isFullRange, as: UInt8.self)
                } else {
                    Self.multiplyPlanes(planes, to: targets, format, isFullRange: isFullRange, as: UInt16.self)
                }
            }
        }
        return target.publish()
    }

    /// Four bytes a pixel, alpha last.
    private static func multiplyPixels(_ source: Plane, to target: MutablePlane) {
        for y in 0..<source.height {
            let from = source.row(y, as: UInt8.self)
            let to = target.row(y, as: UInt8.self)
            for x in 0..<source.width {
                let alpha = Int(from[4 &* x &+ 3])
                for component in 0..<3 {
                    to[4 &* x &+ component] = UInt8(
                        truncatingIfNeeded: (2 &* Int(from[4 &* x &+ component]) &* alpha &+ 255) / 510)
                }
                to[4 &* x &+ 3] = from[4 &* x &+ 3]
            }
        }
    }

    private static func multiplyPlanes<Component: FixedWidthInteger>(
        _ planes: [Plane], to targets: [MutablePlane], _ format: PixelFormat, isFullRange: Bool,
        as type: Component.Type
    ) {
        let depth = format.bitDepth
        let black = isFullRange ? 0 : 16 << (depth - 8)
        for index in 0..<3 {
            multiply(
                planes[index], by: planes[3], to: targets[index], layout: format.planes[index],
                zero: index == 0 ? black : 1 << (depth - 1), one: (1 << depth) - 1, as: type)
        }
        for y in 0..<planes[3].height {
            targets[3].row(y, as: type).update(from: planes[3].row(y, as: type), count: planes[3].width)
        }
    }

    private static func multiply<Component: FixedWidthInteger>(
        _ source: Plane, by alpha: Plane, to target: MutablePlane, layout: PixelFormat.PlaneLayout, zero: Int, one: Int,
        as type: Component.Type
    ) {
        for y in 0..<source.height {
            let from = source.row(y, as: type)
            let to = target.row(y, as: type)
            let rows = (y << layout.verticalShift)..<min((y + 1) << layout.verticalShift, alpha.height)
            for x in 0..<source.width {
                let left = x << layout.horizontalShift
                let right = min((x &+ 1) << layout.horizontalShift, alpha.width)
                var sum = 0
                for row in rows {
                    let line = alpha.row(row, as: type)
                    for column in left..<right { sum &+= Int(line[column]) }
                }
                let divisor = one &* rows.count &* (right &- left)
                let product = (Int(from[x]) &- zero) &* sum
                let rounded = (2 &* product &+ (product < 0 ? -divisor : divisor)) / (2 &* divisor)
                to[x] = Component(truncatingIfNeeded: rounded &+ zero)
            }
        }
    }
}
