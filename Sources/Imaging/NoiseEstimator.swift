/// Tells how noisy a picture is.
///
/// The median absolute response to Immerkær's mask, which lines and gradients leave silent ("Fast Noise Variance Estimation",
/// 1996; the median where he takes the mean, since most pixels show no texture), on a sample of the pixels.
enum NoiseEstimator {
    /// How far apart the pixels are that are looked at.
    private static let step = (x: 5, y: 11)
    /// Responses (0…8 at most, of values 0…1) are counted this finely.
    private static let binsPerUnit: Float = 1020

    /// The standard deviation of the noise in the luma (0…1) of `columns` and `rows` of `plane`, the first plane of a picture
    /// in `format`; 0 for less than three rows or columns.
    static func deviation(
        of plane: Plane, columns: Range<Int>, rows: Range<Int>, format: PixelFormat
    ) -> Float {
        guard columns.count >= 3, rows.count >= 3 else { return 0 }
        var lines = [[Float]](repeating: Array(repeating: 0, count: columns.count), count: 3)
        var counts = [Int](repeating: 0, count: 1024)
        var total = 0
        for y in stride(from: rows.lowerBound + 1, to: rows.upperBound - 1, by: step.y) {
            for line in 0..<3 {
                lines[line].withUnsafeMutableBufferPointer {
                    Luma.row(y - 1 + line, of: plane, columns: columns, format: format, into: $0.baseAddress!)
                }
            }
            for x in stride(from: 1, to: columns.count - 1, by: step.x) {
                let outer = second(lines[0], x) + second(lines[2], x)
                let response = abs(outer - 2 * second(lines[1], x))
                counts[min(counts.count - 1, Int(response * binsPerUnit))] += 1
                total += 1
            }
        }
        var (bin, below) = (0, counts[0])
        while 2 * below < total {
            bin += 1
            below += counts[bin]
        }
        // The mask's own gain is 6; 0.6745 deviations hold half of a normal distribution.
        return Float(bin) / binsPerUnit / (6 * 0.6745)
    }

    private static func second(_ line: [Float], _ x: Int) -> Float { line[x - 1] - 2 * line[x] + line[x + 1] }
}
