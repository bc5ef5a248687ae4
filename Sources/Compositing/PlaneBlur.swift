import Imaging

/// A plane without its people, blurred: what is behind them, out of focus.
///
/// The plane is gathered into a grid of cells, in which a sample counts the less the more it is a person, and from half a person on not
/// at all. Three box filters over the grid come near a Gaussian (Wells, "Efficient Synthesis of Gaussian Filters by Cascaded Uniform
/// Filters", 1986); weights are blurred alongside, so that what lies around the people fills the place where they are. Rows
/// are enlarged linearly from the grid. Keeps its working memory, and is therefore for one thread at a time.
final class PlaneBlur {
    private var width = 0
    private var componentCount = 1
    private var columns = 0
    private var rows = 0
    private var boxes: [BoxFilter] = []
    private var counting: [UInt8] = []
    private var columnSums: [UInt32] = []
    private var columnWeights: [UInt32] = []
    private var weights = ScalarMap(width: 1, height: 1)
    private var values: [ScalarMap] = []
    private var enlargers: [MapEnlarger] = []
    private var line: [Float] = []
    private var repeating = AlphaRows()

    /// Of a place from which nothing but people can be seen, the mean of all counts this much.
    private static let leastWeight: Float = 1e-4

    /// Takes in `samples`, whose alpha is `alpha`, to be blurred by a Gaussian of `deviation` samples across and down.
    func prepare<T: PixelComponent>(
        _ samples: Plane, alpha: Plane, componentCount: Int, deviation: (x: Double, y: Double), as type: T.Type
    ) {
        let cell = (width: Self.cellSize(deviation.x), height: Self.cellSize(deviation.y))
        layOut(samples, componentCount: componentCount, cell: cell)
        for row in 0..<rows { gather(row, of: samples, alpha: alpha, as: type) }
        let spread = (deviation.x / Double(cell.width), deviation.y / Double(cell.height))
        blur(deviation: (spread.0 * spread.1).squareRoot())
        for (value, enlarger) in zip(values, enlargers) {
            enlarger.prepare(value, width: samples.width, height: samples.height)
        }
    }

    // Fine enough that the blur hides the cells.
    private static func cellSize(_ deviation: Double) -> Int {
        var size = 1
        while Double(2 * size) <= deviation * 0.75, size < 64 { size *= 2 }
        return size
    }

    private func layOut(_ samples: Plane, componentCount: Int, cell: (width: Int, height: Int)) {
        let columns = (samples.width + cell.width - 1) / cell.width
        let rows = (samples.height + cell.height - 1) / cell.height
        guard
            samples.width != width || componentCount != self.componentCount || columns != self.columns
                || rows != self.rows
        else { return }
        (width, self.componentCount) = (samples.width, componentCount)
        (self.columns, self.rows) = (columns, rows)
        counting = Array(repeating: 0, count: width)
        columnSums = Array(repeating: 0, count: width * componentCount)
        columnWeights = Array(repeating: 0, count: width)
        weights = ScalarMap(width: columns, height: rows)
        values = Array(repeating: weights, count: componentCount)
        enlargers = (0..<componentCount).map { _ in MapEnlarger() }
        line = Array(repeating: 0, count: width)
        boxes = []
    }

    private func gather<T: PixelComponent>(_ row: Int, of samples: Plane, alpha: Plane, as type: T.Type) {
        columnSums.withUnsafeMutableBufferPointer { sums in
            columnWeights.withUnsafeMutableBufferPointer { weights in
                sums.update(repeating: 0)
                weights.update(repeating: 0)
                for y in row * samples.height / rows..<(row + 1) * samples.height / rows {
                    count(alpha.row(y, as: UInt8.self), into: weights.baseAddress!)
                    counting.withUnsafeBufferPointer { counting in
                        repeating.withRepeated(counting.baseAddress!, width: width, componentCount) { counting in
                            T.addWeighted(
                                samples.row(y, as: type), weights: counting, to: sums.baseAddress!,
                                count: width * componentCount)
                        }
                    }
                }
            }
        }
        let first = row * columns
        Self.addUp(columnWeights, step: 1, width: width, into: &weights, first: first, count: columns)
        for component in 0..<componentCount {
            Self.addUp(
                columnSums[component...], step: componentCount, width: width, into: &values[component], first: first,
                count: columns)
        }
    }

    // Adds up every `step`th of the columns' sums, cell by cell.
    private static func addUp(
        _ sums: some RandomAccessCollection<UInt32>, step: Int, width: Int, into map: inout ScalarMap, first: Int,
        count: Int
    ) {
        _ = sums.withContiguousStorageIfAvailable { sums in
            map.values.withUnsafeMutableBufferPointer { map in
                let sums = sums.baseAddress!
                var x = 0
                for cell in 0..<count {
                    let end = (cell + 1) * width / count
                    var sum: Float = 0
                    while x < end {
                        sum += Float(sums[x &* step])
                        x &+= 1
                    }
                    map[first + cell] = sum
                }
            }
        }
    }

    // How much each sample counts: all of it where alpha is 0, nothing from one half on.
    private func count(_ alpha: UnsafePointer<UInt8>, into weights: UnsafeMutablePointer<UInt32>) {
        counting.withUnsafeMutableBufferPointer { counting in
            for x in 0..<width {
                let weight = 255 &- 2 &* min(alpha[x], 127)
                counting[x] = alpha[x] > 127 ? 0 : weight
                weights[x] &+= UInt32(counting[x])
            }
        }
    }

    private func blur(deviation: Double) {
        let total = max(weights.values.reduce(0, +), .leastNormalMagnitude)
        let means = values.map { $0.values.reduce(0, +) / total }
        // Relative to a cell that counts wholly.
        let least = Self.leastWeight * (weights.values.max() ?? 1) + .leastNormalMagnitude
        if boxes.isEmpty {
            boxes = Self.radii(deviation).map { BoxFilter(width: columns, height: rows, radius: $0) }
        }
        spread(&weights)
        for component in values.indices {
            spread(&values[component])
            let mean = means[component]
            values[component].values.withUnsafeMutableBufferPointer { values in
                weights.values.withUnsafeBufferPointer { weights in
                    for i in values.indices { values[i] = (values[i] + least * mean) / (weights[i] + least) }
                }
            }
        }
    }

    private func spread(_ map: inout ScalarMap) {
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

    /// Writes row `y`, enlarged to the plane's own size, to `target`; values reach from 0 to `peak`.
    func row<T: PixelComponent>(_ y: Int, peak: T, into target: UnsafeMutablePointer<T>) {
        let (width, count, limit) = (width, componentCount, Float(peak))
        line.withUnsafeMutableBufferPointer { line in
            let line = line.baseAddress!
            for (component, enlarger) in enlargers.enumerated() {
                enlarger.row(y, into: line)
                // Adding 2^23 rounds without a conversion that could trap.
                if count == 1 {
                    for x in 0..<width {
                        target[x] = T(truncatingIfNeeded: (min(max(line[x], 0), limit) + 8_388_608).bitPattern & 0xFFFF)
                    }
                } else {
                    for x in 0..<width {
                        target[x &* count &+ component] = T(
                            truncatingIfNeeded: (min(max(line[x], 0), limit) + 8_388_608).bitPattern & 0xFFFF)
                    }
                }
            }
        }
    }
}
