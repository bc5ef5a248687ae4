/// Tells how noisy a picture is.
///
/// The median absolute response to Immerkær's mask, which lines and gradients leave silent ("Fast Noise Variance Estimation",
/// 1996; the median where he takes the mean, since most pixels show no texture), on a sample of the pixels.
enum NoiseEstimator {
    /// How far apart the pixels are that are looked at.
    private static let step = (x: 5, y: 11)
    /// Responses (0…8 at most, of values 0…1) are counted this finely.
    private static let binsPerUnit = 1020
    private static let binCount = 1024

    /// The standard deviation of the noise in the luma (0…1) of `columns` and `rows` of `plane`, the first plane of a picture
    /// in `format`; 0 for less than three rows or columns.
    static func deviation(
        of plane: Plane, columns: Range<Int>, rows: Range<Int>, format: PixelFormat
    ) -> Float {
        guard columns.count >= 3, rows.count >= 3 else { return 0 }
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: binCount) { counts in
            counts.initialize(repeating: 0)
            let place = (columns: columns, rows: rows)
            switch format.bytesPerComponent {
            case 1: count(plane, place, format, as: UInt8.self, into: counts)
            default: count(plane, place, format, as: UInt16.self, into: counts)
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
        _ plane: Plane, _ place: (columns: Range<Int>, rows: Range<Int>), _ format: PixelFormat, as type: T.Type,
        into counts: UnsafeMutableBufferPointer<Int>
    ) {
        let samples = format.planes[0].componentCount
        let component = format.colorModel == .rgb ? format.redGreenBlue[1] : 0
        let peak = (1 << format.bitDepth) - 1
        let (first, last) = (place.columns.lowerBound + 1, place.columns.upperBound - 1)
        for y in stride(from: place.rows.lowerBound + 1, to: place.rows.upperBound - 1, by: step.y) {
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
                x &+= step.x
            }
        }
    }
}
