/// Tells the rows of a video's picture from the black bars above and below it, with which it was brought to another shape.
///
/// Nobody is in the bars, but networks go on with a body that ends at one. Bars are found by what they look like and kept for as long
/// as they are black; dark pictures between them don't change that. Costs the reading of the bars; without bars, of a row.
struct Letterbox {
    /// By how much of the largest code value a bar's luma is above black at most, but for a share of each row: what coding leaves of the
    /// picture beside it.
    private static let (trace, exception) = (10.0 / 255, 0.05)
    /// How high a bar is at least, and how much the two differ at most, as shares of the frame's height.
    private static let (least, difference) = (0.02, 0.03)
    /// How much of a row is not black that lies so many rows inside of the picture: something dark that comes in from above or below is no
    /// bar's edge, but where the picture begins coding may have blurred it.
    private static let edge = (share: 0.5, rows: 4)

    private var known: Range<Int>?

    /// The rows of `frame`, as it is stored, that are not of a bar.
    mutating func pictureRows(of frame: VideoFrame) -> Range<Int> {
        let picture = frame.pixelBuffer
        let format = picture.format
        guard format.colorModel != .rgb else { return 0..<picture.height }
        let peak = Double((1 << format.bitDepth) - 1)
        let black = frame.color.isFullRange(in: format.colorModel) ? 0 : Double(16 << (format.bitDepth - 8))
        let limit = Int(black + Self.trace * peak)
        return picture.withPlane(0) { plane in
            if format.bytesPerComponent == 1 {
                rows(LumaRows(plane: plane, place: format.lumaPlace, limit: UInt8(limit)))
            } else {
                rows(LumaRows(plane: plane, place: format.lumaPlace, limit: UInt16(limit)))
            }
        }
    }

    private mutating func rows<T>(_ luma: LumaRows<T>) -> Range<Int> {
        let all = 0..<luma.plane.height
        if let known, known.upperBound <= all.upperBound,
            (all.lowerBound..<known.lowerBound).allSatisfy({ Self.isBlack($0, luma) }),
            (known.upperBound..<all.upperBound).allSatisfy({ Self.isBlack($0, luma) })
        {
            return known
        }
        known = Self.find(luma)
        return known ?? all
    }

    private static func find<T>(_ luma: LumaRows<T>) -> Range<Int>? {
        let height = luma.plane.height
        let rows = 0..<height
        guard let first = rows.first(where: { !isBlack($0, luma) }), Double(first) >= least * Double(height),
            let last = rows.last(where: { !isBlack($0, luma) })
        else { return nil }
        let below = height - 1 - last
        guard Double(below) >= least * Double(height), Double(abs(first - below)) <= difference * Double(height),
            last - first > 2 * edge.rows, luma.brightShare(first + edge.rows) >= edge.share,
            luma.brightShare(last - edge.rows) >= edge.share
        else { return nil }
        return first..<last + 1
    }

    private static func isBlack<T>(_ y: Int, _ luma: LumaRows<T>) -> Bool { luma.brightShare(y) <= exception }
}

/// The luma of a plane's rows against the most that counts as black.
private struct LumaRows<T: FixedWidthInteger> {
    let plane: Plane
    let place: PixelFormat.ComponentPlace
    let limit: T

    /// How much of row `y` is brighter, 0…1.
    func brightShare(_ y: Int) -> Double {
        let row = plane.row(y, as: T.self) + place.component
        var count = 0
        for x in 0..<plane.width where row[x &* place.step] > limit { count &+= 1 }
        return Double(count) / Double(plane.width)
    }
}
