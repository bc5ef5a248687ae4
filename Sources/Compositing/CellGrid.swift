import Imaging

/// A plane as weighted sums over the cells of a grid.
///
/// Keeps its working memory, and is therefore for one thread at a time.
struct CellGrid {
    /// Cells in a row.
    private(set) var columns = 0
    /// Rows of cells.
    private(set) var rows = 0
    /// How much the samples of each cell count together.
    var weights = ScalarMap(width: 1, height: 1)
    /// The weighted sums of each component.
    var values: [ScalarMap] = []

    /// Rows whose sums, of 16-bit samples that all count, fit 32 bits.
    private static let tallest = 256

    private var width = 0
    private var height = 0
    private var step = (width: 1, height: 1)
    private var sums: [UInt32] = []
    private var weightSums: [UInt32] = []
    /// Where the columns of each cell end, and its rows.
    private(set) var ends: (columns: [Int32], rows: [Int32]) = ([], [])
    private var full: [UInt8] = []
    private var repeating = AlphaRows()

    /// Adds up `samples` in cells of about `cell` samples, which meet at multiples of `step`; `sampleWeights`, of the same size,
    /// tells how much each counts, and without it all count alike. Returns whether the grid has another layout than before.
    @discardableResult
    mutating func gather<T: PixelComponent>(
        _ samples: Plane, weights sampleWeights: Plane?, componentCount: Int, cell: (width: Int, height: Int),
        step: (width: Int, height: Int) = (1, 1), as type: T.Type
    ) -> Bool {
        let isNew = layOut(samples, componentCount, cell, step)
        for row in 0..<rows {
            let lines = (row > 0 ? Int(ends.rows[row - 1]) : 0)..<Int(ends.rows[row])
            clear(row)
            for start in stride(from: lines.lowerBound, to: lines.upperBound, by: Self.tallest) {
                let part = start..<min(start + Self.tallest, lines.upperBound)
                add(samples, part, weights: sampleWeights, as: type)
                collect(row, inWords: T.self == UInt8.self)
            }
        }
        return isNew
    }

    private mutating func clear(_ row: Int) {
        let cells = row * columns..<(row + 1) * columns
        for cell in cells { weights.values[cell] = 0 }
        for component in values.indices {
            for cell in cells { values[component].values[cell] = 0 }
        }
    }

    private mutating func add<T: PixelComponent>(
        _ samples: Plane, _ lines: Range<Int>, weights: Plane?, as type: T.Type
    ) {
        sums.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        weightSums.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        for y in lines {
            if let weights {
                add(samples.row(y, as: type), weights: weights.row(y, as: UInt8.self))
            } else {
                full.withUnsafeBufferPointer { add(samples.row(y, as: type), weights: $0.baseAddress!) }
            }
        }
    }

    private mutating func layOut(
        _ samples: Plane, _ componentCount: Int, _ cell: (width: Int, height: Int), _ step: (width: Int, height: Int)
    ) -> Bool {
        let columns = (samples.width + cell.width - 1) / cell.width
        let rows = (samples.height + cell.height - 1) / cell.height
        guard
            (width, height, self.columns, self.rows, values.count) != (
                samples.width, samples.height, columns, rows, componentCount
            ) || self.step != step
        else { return false }
        (width, height, self.columns, self.rows) = (samples.width, samples.height, columns, rows)
        self.step = step
        ends = (
            Self.ends(of: columns, length: width, step: step.width),
            Self.ends(of: rows, length: height, step: step.height)
        )
        sums = Array(repeating: 0, count: width * componentCount)
        weightSums = Array(repeating: 0, count: width)
        full = Array(repeating: 255, count: width)
        weights = ScalarMap(width: columns, height: rows)
        values = Array(repeating: weights, count: componentCount)
        return true
    }

    /// Where each of `count` cells ends that share `length` samples as evenly as multiples of `step` allow.
    private static func ends(of count: Int, length: Int, step: Int) -> [Int32] {
        let steps = (length + step - 1) / step
        return (1...count).map { Int32(min($0 * steps / count * step, length)) }
    }

    private mutating func add<T: PixelComponent>(_ row: UnsafePointer<T>, weights: UnsafePointer<UInt8>) {
        let (width, components) = (width, values.count)
        weightSums.withUnsafeMutableBufferPointer { sums in
            for x in 0..<width { sums[x] &+= UInt32(weights[x]) }
        }
        sums.withUnsafeMutableBufferPointer { sums in
            repeating.withRepeated(weights, width: width, components) { weights in
                T.addWeighted(row, weights: weights, to: sums.baseAddress!, count: width * components)
            }
        }
    }

    // `inWords` tells that a cell of up to 64 by 64 samples fits 32 bits, which one of 16-bit samples does not.
    private mutating func collect(_ row: Int, inWords: Bool) {
        let components = values.count
        let first = row * columns
        let side = width / columns
        if inWords, components == 1, side <= 64, side * columns == width, side & (side - 1) == 0 {
            Self.halve(&weightSums, count: width, to: columns, into: &weights, first: first)
            return Self.halve(&sums, count: width, to: columns, into: &values[0], first: first)
        }
        Self.addUp(weightSums, from: 0, step: 1, ends: ends.columns, into: &weights, first: first)
        for component in 0..<components {
            Self.addUp(
                sums, from: component, step: components, ends: ends.columns, into: &values[component], first: first)
        }
    }

    // Adds neighbours up in place until `target` sums are left.
    private static func halve(
        _ sums: inout [UInt32], count: Int, to target: Int, into map: inout ScalarMap, first: Int
    ) {
        sums.withUnsafeMutableBytes { bytes in
            let base = bytes.baseAddress!
            let sums = base.assumingMemoryBound(to: UInt32.self)
            var count = count
            while count > target {
                count /= 2
                var x = 0
                while x &+ 4 <= count {
                    let pairs = base.loadUnaligned(fromByteOffset: 8 &* x, as: SIMD8<UInt32>.self)
                    base.storeBytes(of: pairs.evenHalf &+ pairs.oddHalf, toByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
                    x &+= 4
                }
                while x < count {
                    sums[x] = sums[2 &* x] &+ sums[2 &* x &+ 1]
                    x &+= 1
                }
            }
            map.values.withUnsafeMutableBufferPointer { map in
                for cell in 0..<target { map[first &+ cell] += Float(sums[cell]) }
            }
        }
    }

    // Adds up every `step`th of the columns' sums, cell by cell.
    private static func addUp(
        _ sums: [UInt32], from start: Int, step: Int, ends: [Int32], into map: inout ScalarMap, first: Int
    ) {
        sums.withUnsafeBufferPointer { sums in
            map.values.withUnsafeMutableBufferPointer { map in
                ends.withUnsafeBufferPointer { ends in
                    let (sums, map) = (sums.baseAddress! + start, map.baseAddress! + first)
                    var x = 0
                    for cell in 0..<ends.count {
                        let end = Int(ends[cell])
                        var sum: UInt64 = 0
                        while x < end {
                            sum &+= UInt64(sums[x &* step])
                            x &+= 1
                        }
                        map[cell] += Float(sum)
                    }
                }
            }
        }
    }

    /// Writes to `map` how much of each cell of about `side` samples is people, of whom `mask` tells.
    mutating func gatherShares(of mask: Plane, side: Int, into map: inout ScalarMap) {
        gather(mask, weights: nil, componentCount: 1, cell: (side, side), as: UInt8.self)
        map.copy(values[0])
        map.values.withUnsafeMutableBufferPointer { shares in
            weights.values.withUnsafeBufferPointer { weights in
                for i in shares.indices { shares[i] /= weights[i] * 255 }
            }
        }
    }

    /// Makes means of the sums; a place where next to nothing counts takes the mean of all.
    mutating func normalize() {
        // Of a place from which nothing but people can be seen, the mean of all counts this much of a full cell.
        let share: Float = 1e-4
        let total = max(weights.values.reduce(0, +), .leastNormalMagnitude)
        let least = share * (weights.values.max() ?? 1) + .leastNormalMagnitude
        for component in values.indices {
            let mean = values[component].values.reduce(0, +) / total
            values[component].values.withUnsafeMutableBufferPointer { values in
                weights.values.withUnsafeBufferPointer { weights in
                    for i in values.indices { values[i] = (values[i] + least * mean) / (weights[i] + least) }
                }
            }
        }
    }
}
