/// Tells how noisy a picture is.
///
/// The median absolute response to Immerkær's mask, which lines and gradients leave silent ("Fast Noise Variance Estimation",
/// 1996; the median where he takes the mean, since most pixels show no texture), on a sample of the pixels.
enum NoiseEstimator {
    /// How far apart the pixels are that are looked at, at least.
    private static let step = (x: 5, y: 11)
    /// About how many pixels are looked at, at most.
    private static let enough = 10_000
    /// Responses (0…8 at most, of values 0…1) are counted this finely.
    private static let binsPerUnit = 1020
    private static let binCount = 1024

    /// The standard deviations (0…1) of the noise in the luma and the two chroma components of `columns` and `rows` of `picture`.
    ///
    /// Chroma of a gray picture has none, and that of an RGB picture as much as its luma.
    static func deviations(of picture: PixelBuffer, columns: Range<Int>, rows: Range<Int>) -> SIMD3<Float> {
        let format = picture.format
        let places = format.componentPlaces
        return picture.withPlanes { planes in
            func deviation(_ place: PixelFormat.ComponentPlace) -> Float {
                let layout = format.planes[place.plane]
                return Self.deviation(
                    of: planes[place.plane], place, columns: columns.halved(layout.horizontalShift),
                    rows: rows.halved(layout.verticalShift), bitDepth: format.bitDepth)
            }
            switch format.colorModel {
            case .gray: return SIMD3(deviation(places[0]), 0, 0)
            case .yuv: return SIMD3(deviation(places[0]), deviation(places[1]), deviation(places[2]))
            case .rgb: return SIMD3(repeating: deviation(places[1]))
            }
        }
    }

    // 0 for less than three rows or columns.
    private static func deviation(
        of plane: Plane, _ place: PixelFormat.ComponentPlace, columns: Range<Int>, rows: Range<Int>, bitDepth: Int
    ) -> Float {
        guard columns.count >= 3, rows.count >= 3 else { return 0 }
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: binCount) { counts in
            counts.initialize(repeating: 0)
            let peak = (1 << bitDepth) - 1
            if bitDepth <= 8 {
                count(plane, place, columns, rows, peak, as: UInt8.self, into: counts)
            } else {
                count(plane, place, columns, rows, peak, as: UInt16.self, into: counts)
            }
            let total = counts.reduce(0, +)
            var (bin, below) = (0, counts[0])
            while 2 * below < total {
                bin += 1
                below += counts[bin]
            }
            // The mask's own gain is 6; 0.6745 deviations hold half of a normal distribution.
            return Float(bin) / Float(binsPerUnit) / (6 * 0.6745)
        }
    }

    @inline(__always)
    private static func count<T: FixedWidthInteger>(
        _ plane: Plane, _ place: PixelFormat.ComponentPlace, _ columns: Range<Int>, _ rows: Range<Int>, _ peak: Int,
        as type: T.Type, into counts: UnsafeMutableBufferPointer<Int>
    ) {
        let (samples, component) = (place.step, place.component)
        let (first, last) = (columns.lowerBound + 1, columns.upperBound - 1)
        let coarseness = max(1, (Double(columns.count * rows.count) / Double(step.x * step.y * enough)).squareRoot())
        let (columnStep, rowStep) = (Int(Double(step.x) * coarseness), Int(Double(step.y) * coarseness))
        for y in stride(from: rows.lowerBound + 1, to: rows.upperBound - 1, by: rowStep) {
            let above = plane.row(y - 1, as: type) + component
            let (here, below) = (plane.row(y, as: type) + component, plane.row(y + 1, as: type) + component)
            var x = first
            while x < last {
                let (left, middle, right) = ((x &- 1) &* samples, x &* samples, (x &+ 1) &* samples)
                func second(_ line: UnsafePointer<T>) -> Int {
                    Int(line[left]) &- 2 &* Int(line[middle]) &+ Int(line[right])
                }
                let response = abs(second(above) &+ second(below) &- 2 &* second(here))
                counts[min(binCount - 1, response &* binsPerUnit / peak)] &+= 1
                x &+= columnStep
            }
        }
    }
}

extension Range<Int> {
    /// Those samples, each of `1 << shift` pixels, all of whose pixels the range holds.
    fileprivate func halved(_ shift: Int) -> Range {
        let first = (lowerBound + (1 << shift) - 1) >> shift
        return first..<Swift.max(first, upperBound >> shift)
    }
}
