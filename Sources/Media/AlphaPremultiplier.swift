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
        let isPacked = format.hasPackedAlpha
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
                let alpha = Int32(from[4 &* x &+ 3])
                for component in 0..<3 {
                    let value = product(Int32(from[4 &* x &+ component]), alpha, cell: 0, depth: 8)
                    to[4 &* x &+ component] = UInt8(truncatingIfNeeded: value)
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
                zero: index == 0 ? black : 1 << (depth - 1), depth: depth, as: type)
        }
        for y in 0..<planes[3].height {
            targets[3].row(y, as: type).update(from: planes[3].row(y, as: type), count: planes[3].width)
        }
    }

    private static func multiply<Component: FixedWidthInteger>(
        _ source: Plane, by alpha: Plane, to target: MutablePlane, layout: PixelFormat.PlaneLayout, zero: Int,
        depth: Int, as type: Component.Type
    ) {
        let (zero, depth) = (Int32(zero), Int32(depth))
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: source.width) { sums in
            let sums = sums.baseAddress!
            for y in 0..<source.height {
                let top = y << layout.verticalShift
                let rows = top..<min(top + (1 << layout.verticalShift), alpha.height)
                sum(alpha, rows, shift: layout.horizontalShift, as: type, into: sums, count: source.width)
                let from = source.row(y, as: type)
                let to = target.row(y, as: type)
                let rowShift = Int32(rows.count - 1)
                let cell = rowShift &+ Int32(layout.horizontalShift)
                // The last cell of an odd width covers one column alone.
                let whole = alpha.width >> layout.horizontalShift
                for x in 0..<whole {
                    let value = product(Int32(truncatingIfNeeded: from[x]) &- zero, sums[x], cell: cell, depth: depth)
                    to[x] = Component(truncatingIfNeeded: value &+ zero)
                }
                for x in whole..<source.width {
                    let value = product(
                        Int32(truncatingIfNeeded: from[x]) &- zero, sums[x], cell: rowShift, depth: depth)
                    to[x] = Component(truncatingIfNeeded: value &+ zero)
                }
            }
        }
    }

    /// Adds up the alpha of the pixels that each sample of a row covers.
    private static func sum<Component: FixedWidthInteger>(
        _ alpha: Plane, _ rows: Range<Int>, shift: Int, as type: Component.Type,
        into sums: UnsafeMutablePointer<Int32>, count: Int
    ) {
        sums.update(repeating: 0, count: count)
        for row in rows {
            let line = alpha.row(row, as: type)
            if shift == 0 {
                for x in 0..<count { sums[x] &+= Int32(truncatingIfNeeded: line[x]) }
            } else {
                for x in 0..<(alpha.width / 2) {
                    let pair = Int32(truncatingIfNeeded: line[2 &* x]) &+ Int32(truncatingIfNeeded: line[2 &* x &+ 1])
                    sums[x] &+= pair
                }
                if alpha.width % 2 == 1 { sums[count - 1] &+= Int32(truncatingIfNeeded: line[alpha.width - 1]) }
            }
        }
    }

    /// `value` times the mean alpha of 1 << `cell` pixels, whose sum is `alpha`.
    ///
    /// A quotient by 2^d - 1 is (y + 1 + y / 2^d) / 2^d, exactly, for every y below 4^d - 1.
    @inline(__always)
    private static func product(_ value: Int32, _ alpha: Int32, cell: Int32, depth: Int32) -> Int32 {
        let sign = value &>> 31
        let magnitude = ((value ^ sign) &- sign) &* alpha
        let half = (((1 &<< depth) &- 1) &<< cell) &>> 1
        let numerator = (magnitude &+ half) &>> cell
        let quotient = (numerator &+ 1 &+ (numerator &>> depth)) &>> depth
        return (quotient ^ sign) &- sign
    }
}
