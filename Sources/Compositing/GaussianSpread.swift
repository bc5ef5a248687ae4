import Imaging

/// A blur of small maps that comes near a Gaussian: three box filters in a row.
///
/// After Wells, "Efficient Synthesis of Gaussian Filters by Cascaded Uniform Filters" (PAMI 1986). Keeps its working memory,
/// and is therefore for one thread at a time.
struct GaussianSpread {
    private var boxes: [BoxFilter] = []
    private var key = (width: 0, height: 0, across: 0.0, down: 0.0)

    /// Blurs `map` by standard deviations of so many cells, across and down.
    mutating func apply(_ map: inout ScalarMap, deviation: (across: Double, down: Double)) {
        if key != (map.width, map.height, deviation.across, deviation.down) {
            key = (map.width, map.height, deviation.across, deviation.down)
            let (width, height) = (map.width, map.height)
            boxes = zip(Self.radii(deviation.across), Self.radii(deviation.down)).map {
                BoxFilter(width: width, height: height, across: $0, down: $1)
            }
        }
        map.values.withUnsafeMutableBufferPointer { map in
            for index in boxes.indices { boxes[index].mean(map.baseAddress!, into: map.baseAddress!) }
        }
    }

    /// The radii of three box filters that together have the variance of a Gaussian, as nearly as whole numbers can.
    static func radii(_ deviation: Double) -> [Int] {
        let variance = 12 * deviation * deviation
        let radius = Int(((variance / 3 + 1).squareRoot() - 1) / 2)
        let width = Double(2 * radius + 1)
        // So many of the three are the narrower ones.
        let narrow = ((variance - 3 * width * width - 12 * width - 9) / (-4 * width - 4)).rounded()
        return (0..<3).map { Double($0) < narrow ? radius : radius + 1 }
    }
}
