/// Tells the rows of a video's picture from the black bars above and below it, with which it was brought to another shape.
///
/// Nobody is in the bars, but networks go on with a body that ends at one. Bars are found by what they look like and kept for as long
/// as they are black; dark pictures between them don't change that. Costs the reading of the bars; without bars, of a row.
struct Letterbox {
    /// By how much of the largest code value a bar's luma is above black at most: what coding leaves of the picture beside it.
    private static let trace = 6.0 / 255
    /// How high a bar is at least, and how much the two differ at most, as shares of the frame's height.
    private static let (least, difference) = (0.02, 0.03)
    /// How much of the picture's first and last row is not black: something dark that comes in from above or below is no bar's edge.
    private static let edge = 0.25

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
            (all.lowerBound..<known.lowerBound).allSatisfy(luma.isBlack),
            (known.upperBound..<all.upperBound).allSatisfy(luma.isBlack)
        {
            return known
        }
        known = Self.find(luma)
        return known ?? all
    }

    private static func find<T>(_ luma: LumaRows<T>) -> Range<Int>? {
        let height = luma.plane.height
        let rows = 0..<height
        guard let first = rows.first(where: { !luma.isBlack($0) }), Double(first) >= least * Double(height),
            let last = rows.last(where: { !luma.isBlack($0) })
        else { return nil }
        let below = height - 1 - last
        guard Double(below) >= least * Double(height), Double(abs(first - below)) <= difference * Double(height),
            luma.brightShare(first) >= edge, luma.brightShare(last) >= edge
        else { return nil }
        return first..<last + 1
    }
}

/// The luma of a plane's rows against the most that counts as black.
private struct LumaRows<T: FixedWidthInteger> {
    let plane: Plane
    let place: PixelFormat.ComponentPlace
    let limit: T

    @inline(__always)
    private func count(_ y: Int, from start: Int, to end: Int) -> Int {
        let row = plane.row(y, as: T.self) + place.component
        var count = 0
        for x in start..<end where row[x &* place.step] > limit { count &+= 1 }
        return count
    }

    /// Whether nothing in row `y` is brighter; most rows of a picture tell by their beginning.
    func isBlack(_ y: Int) -> Bool {
        let beginning = min(64, plane.width)
        return count(y, from: 0, to: beginning) == 0 && count(y, from: beginning, to: plane.width) == 0
    }

    /// How much of row `y` is brighter, 0…1.
    func brightShare(_ y: Int) -> Double { Double(count(y, from: 0, to: plane.width)) / Double(plane.width) }
}
