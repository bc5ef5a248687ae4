/// Reads a rectangle of a plane as a small map of each of some components, antialiased.
///
/// Rows are added up first, in whole numbers where components have 8 bits, and what is left of them is then shrunk across: most
/// of the work is one pass over the rectangle's samples. Keeps its working memory, and is therefore for one thread at a time.
struct PlaneSampler {
    private let vertical: ResampleTaps
    private let shares: [UInt16]
    private let starts: [Int]
    private let weights: [Float]
    /// Taps across, filled up with weights of 0 to whole vectors.
    private let tapCount: Int
    /// The columns that some target sample reads.
    private let columns: Range<Int>
    private let isCopy: Bool
    private var line: [Float]

    /// Columns of the maps.
    var width: Int { starts.count }
    /// Rows of the maps.
    var height: Int { vertical.starts.count }

    /// For the samples that the taps of both axes name.
    init(horizontal: ResampleTaps, vertical: ResampleTaps) {
        self.vertical = vertical
        shares = vertical.weights.map { UInt16($0 * Float(ResampleTaps.parts)) }
        let left = horizontal.starts.min()!
        columns = left..<horizontal.starts.max()! + horizontal.tapCount
        starts = horizontal.starts.map { $0 - left }
        isCopy = horizontal.tapCount == 1 && starts == Array(starts.indices)
        let (given, padded) = (horizontal.tapCount, (horizontal.tapCount + 3) / 4 * 4)
        var weights = [Float](repeating: 0, count: starts.count * padded)
        for target in starts.indices {
            for tap in 0..<given {
                weights[target * padded + tap] = horizontal.weights[target * given + tap] / Float(ResampleTaps.parts)
            }
        }
        self.weights = weights
        tapCount = padded
        line = Array(repeating: 0, count: columns.count + padded)
    }

    /// Writes each of `components` of the samples of `plane`, which have `step` of them, into its one of `targets`, as `width * height`
    /// code values.
    mutating func sample<T: SampledComponent>(
        _ plane: Plane, as type: T.Type, step: Int, components: [Int], into targets: [UnsafeMutablePointer<Float>]
    ) {
        let (width, span) = (width, columns.count * step)
        // Taken out of the value, whose other properties are read meanwhile.
        var line: [Float] = []
        swap(&line, &self.line)
        defer { swap(&line, &self.line) }
        withUnsafeTemporaryAllocation(of: T.Sum.self, capacity: span) { sums in
            let sums = sums.baseAddress!
            line.withUnsafeMutableBufferPointer { line in
                let line = line.baseAddress!
                for y in vertical.starts.indices {
                    addRows(y, plane, type, step: step, into: sums, count: span)
                    for (component, target) in zip(components, targets) {
                        T.widen(sums + component, step: step, into: line, count: columns.count)
                        gather(line, into: target + y &* width)
                    }
                }
            }
        }
    }

    // Up to four rows at a time, so that the sums are read and written less often.
    @inline(__always)
    private func addRows<T: SampledComponent>(
        _ y: Int, _ plane: Plane, _ type: T.Type, step: Int, into sums: UnsafeMutablePointer<T.Sum>, count: Int
    ) {
        let (first, last) = (vertical.starts[y], vertical.starts[y] + vertical.tapCount - 1)
        shares.withUnsafeBufferPointer { shares in
            let shares = shares.baseAddress! + y &* vertical.tapCount
            func row(_ tap: Int) -> UnsafePointer<T> {
                plane.row(min(first &+ tap, last), as: type) + columns.lowerBound &* step
            }
            func share(_ tap: Int) -> UInt16 { tap < vertical.tapCount ? shares[tap] : 0 }
            for tap in stride(from: 0, to: vertical.tapCount, by: 4) {
                let weights = (share(tap), share(tap + 1), share(tap + 2), share(tap + 3))
                T.addFour(
                    (row(tap), row(tap + 1), row(tap + 2), row(tap + 3)), weights: weights, isFirst: tap == 0,
                    into: sums, count: count)
            }
        }
    }

    @inline(__always)
    private func gather(_ line: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>) {
        let count = width
        starts.withUnsafeBufferPointer { starts in
            weights.withUnsafeBufferPointer { weights in
                let (starts, weights) = (starts.baseAddress!, weights.baseAddress!)
                func product(_ x: Int, _ tap: Int) -> SIMD4<Float> {
                    let source = UnsafeRawPointer(line + (starts[x] &+ tap)).loadUnaligned(as: SIMD4<Float>.self)
                    let weight = UnsafeRawPointer(weights + (x &* tapCount &+ tap)).loadUnaligned(
                        as: SIMD4<Float>.self)
                    return source * weight
                }
                func sum(_ products: SIMD4<Float>) -> Float {
                    let pair = products.lowHalf + products.highHalf
                    return pair[0] + pair[1]
                }
                if isCopy {
                    for x in 0..<count { target[x] = line[x] * (1 / Float(ResampleTaps.parts)) }
                } else if tapCount == 4 {
                    for x in 0..<count { target[x] = sum(product(x, 0)) }
                } else {
                    for x in 0..<count {
                        var products = product(x, 0)
                        var tap = 4
                        while tap < tapCount {
                            products += product(x, tap)
                            tap &+= 4
                        }
                        target[x] = sum(products)
                    }
                }
            }
        }
    }
}

/// A component whose weighted sums are made without loss.
protocol SampledComponent: FixedWidthInteger & UnsignedInteger {
    /// Holds a sum of components whose weights are `ResampleTaps.parts` together.
    associatedtype Sum

    /// Writes (`isFirst`) or adds the weighted sums of four rows.
    static func addFour(
        _ rows: (UnsafePointer<Self>, UnsafePointer<Self>, UnsafePointer<Self>, UnsafePointer<Self>),
        weights: (UInt16, UInt16, UInt16, UInt16), isFirst: Bool, into sums: UnsafeMutablePointer<Sum>, count: Int)

    /// Writes every `step`th of the sums, `count` of them.
    static func widen(
        _ sums: UnsafePointer<Sum>, step: Int, into target: UnsafeMutablePointer<Float>, count: Int)
}

extension UInt8: SampledComponent {
    static func addFour(
        _ rows: (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>),
        weights: (UInt16, UInt16, UInt16, UInt16), isFirst: Bool, into sums: UnsafeMutablePointer<UInt16>, count: Int
    ) {
        @inline(__always)
        func sum(_ x: Int) -> UInt16 {
            let upper = UInt16(rows.0[x]) &* weights.0 &+ UInt16(rows.1[x]) &* weights.1
            return upper &+ UInt16(rows.2[x]) &* weights.2 &+ UInt16(rows.3[x]) &* weights.3
        }
        if isFirst {
            for x in 0..<count { sums[x] = sum(x) }
        } else {
            for x in 0..<count { sums[x] &+= sum(x) }
        }
    }

    static func widen(
        _ sums: UnsafePointer<UInt16>, step: Int, into target: UnsafeMutablePointer<Float>, count: Int
    ) {
        // With the usual step as a constant the loop vectorises.
        if step == 1 {
            for x in 0..<count { target[x] = Float(sums[x]) }
        } else {
            for x in 0..<count { target[x] = Float(sums[x &* step]) }
        }
    }
}

extension UInt16: SampledComponent {
    static func addFour(
        _ rows: (UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafePointer<UInt16>),
        weights: (UInt16, UInt16, UInt16, UInt16), isFirst: Bool, into sums: UnsafeMutablePointer<Float>, count: Int
    ) {
        let (a, b, c, d) = (Float(weights.0), Float(weights.1), Float(weights.2), Float(weights.3))
        @inline(__always)
        func sum(_ x: Int) -> Float {
            Float(rows.0[x]) * a + Float(rows.1[x]) * b + (Float(rows.2[x]) * c + Float(rows.3[x]) * d)
        }
        if isFirst {
            for x in 0..<count { sums[x] = sum(x) }
        } else {
            for x in 0..<count { sums[x] += sum(x) }
        }
    }

    static func widen(
        _ sums: UnsafePointer<Float>, step: Int, into target: UnsafeMutablePointer<Float>, count: Int
    ) {
        for x in 0..<count { target[x] = sums[x &* step] }
    }
}
