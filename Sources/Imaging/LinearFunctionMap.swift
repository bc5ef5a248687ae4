/// A small map of linear functions of colour, enlarged bilinearly to a picture's size: what a refiner has fitted.
///
/// Most of a mask is clear or opaque whatever the colour: where the four functions around a pixel are at or below 0, or at or above
/// 1, so is every mixture of them. Those pixels cost nothing; only the others are enlarged.
/// Keeps its working memory, and is therefore for one thread at a time.
struct LinearFunctionMap {
    /// Numbers of a function: mask = offset + the products of three slopes and the components.
    private static let numberCount = 4

    /// A row of functions to write.
    struct Row {
        fileprivate let values: UnsafeMutablePointer<Float>
        fileprivate let stride: Int
        fileprivate let kinds: UnsafeMutablePointer<UInt8>

        /// Sets function `x`, whose slopes are for luma and two components of chroma.
        @inline(__always)
        func set(_ x: Int, offset: Float, slopes: SIMD3<Float>) {
            values[x] = offset
            for index in 0..<3 { values[(index &+ 1) &* stride &+ x] = slopes[index] }
            kinds[x] = MaskRun.Kind.mixed.rawValue
        }

        /// Sets functions 0 to `count` to numbers that are the same for all colours: `shift` and the values' products with `scale`.
        @inline(__always)
        func set(_ constants: UnsafePointer<Float>, scale: Float, shift: Float, count: Int) {
            for x in 0..<count {
                let value = constants[x] * scale + shift
                values[x] = value
                kinds[x] =
                    (value <= 0 ? MaskRun.Kind.clear.rawValue : 0) | (value >= 1 ? MaskRun.Kind.opaque.rawValue : 0)
            }
            for index in 1...3 { (values + index * stride).update(repeating: 0, count: count) }
        }
    }

    /// Columns of functions.
    let width: Int
    /// Rows of functions.
    let height: Int
    /// Offsets, and the slopes of each component.
    private var values: [Float]
    private var horizontal = LinearTaps(limit: 1, count: 1)
    private var vertical = LinearTaps(limit: 1, count: 1)
    /// Columns of the picture.
    private(set) var fullWidth = 0
    /// Rows of the picture.
    private(set) var fullHeight = 0
    /// The first column of the picture between function i and the next, for each i; and at last the picture's width.
    private var columnStarts: [Int] = []
    /// For each function the bits of the kinds of run that it speaks for.
    private var kinds: [UInt8]
    /// The rows of functions that `runs` and the enlarged rows are of.
    private var band: (upper: Int32, lower: Int32) = (-1, -1)
    /// The runs of the rows in the band.
    private(set) var runs: [MaskRun] = []
    /// The upper row of each number, then the lower row of each.
    private var enlarged: [Float] = []

    /// `width` by `height` functions.
    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        values = Array(repeating: 0, count: Self.numberCount * width * height)
        kinds = Array(repeating: 0, count: width * height)
    }

    /// Calls `body` with row `y` of the functions.
    @inline(__always)
    mutating func withRow(_ y: Int, _ body: (Row) -> Void) {
        let (start, stride) = (y * width, width * height)
        values.withUnsafeMutableBufferPointer { values in
            kinds.withUnsafeMutableBufferPointer { kinds in
                body(Row(values: values.baseAddress! + start, stride: stride, kinds: kinds.baseAddress! + start))
            }
        }
    }

    /// Takes the functions as they are now for a picture of `fullWidth` by `fullHeight`.
    mutating func prepare(fullWidth: Int, fullHeight: Int) {
        if (self.fullWidth, self.fullHeight) != (fullWidth, fullHeight) {
            (self.fullWidth, self.fullHeight) = (fullWidth, fullHeight)
            horizontal = LinearTaps(limit: width, count: fullWidth)
            vertical = LinearTaps(limit: height, count: fullHeight)
            enlarged = Array(repeating: 0, count: 2 * Self.numberCount * fullWidth)
            columnStarts = Array(repeating: fullWidth, count: width + 1)
            for x in (0..<fullWidth).reversed() { columnStarts[Int(horizontal.first[x])] = x }
            for i in (0..<width).reversed() { columnStarts[i] = min(columnStarts[i], columnStarts[i + 1]) }
        }
        band = (-1, -1)
    }

    /// Goes to the band of row `y`, whose `runs` cover the picture's columns.
    mutating func enter(_ y: Int) {
        let wanted = (vertical.first[y], vertical.second[y])
        guard wanted != band else { return }
        band = wanted
        findRuns()
        for run in runs where run.kind == .mixed {
            enlarge(Int(band.upper), run.columns, into: 0)
            enlarge(Int(band.lower), run.columns, into: Self.numberCount)
        }
    }

    private mutating func findRuns() {
        runs.removeAll(keepingCapacity: true)
        let (upper, lower) = (Int(band.upper) * width, Int(band.lower) * width)
        kinds.withUnsafeBufferPointer { kinds in
            // Of the four functions around the columns from function `i` on.
            func kind(_ i: Int) -> UInt8 {
                let next = min(i &+ 1, width &- 1)
                return kinds[upper &+ i] & kinds[lower &+ i] & (kinds[upper &+ next] & kinds[lower &+ next])
            }
            var first = 0
            while first < width {
                let kindHere = kind(first)
                var end = first &+ 1
                while end < width, kind(end) == kindHere { end &+= 1 }
                let columns = columnStarts[first]..<columnStarts[end]
                Self.append(MaskRun(columns: columns, kind: MaskRun.Kind(rawValue: kindHere)!), to: &runs)
                first = end
            }
        }
    }

    // Between two runs of a kind there may be one without columns.
    private static func append(_ run: MaskRun, to runs: inout [MaskRun]) {
        if run.columns.isEmpty { return }
        if let last = runs.last, last.kind == run.kind {
            runs[runs.count - 1].columns = last.columns.lowerBound..<run.columns.upperBound
        } else {
            runs.append(run)
        }
    }

    // All numbers of a row, each into a row of its own.
    private mutating func enlarge(_ row: Int, _ columns: Range<Int>, into place: Int) {
        let (start, count, fullWidth) = (row * width, width * height, fullWidth)
        enlarged.withUnsafeMutableBufferPointer { enlarged in
            values.withUnsafeBufferPointer { values in
                horizontal.withPointers { first, second, fraction in
                    for number in 0..<Self.numberCount {
                        let source = values.baseAddress! + (number * count + start)
                        let target = enlarged.baseAddress! + (place + number) * fullWidth
                        for x in columns {
                            let a = source[Int(first[x])]
                            target[x] = a + (source[Int(second[x])] - a) * fraction[x]
                        }
                    }
                }
            }
        }
    }

    /// Writes the values of `columns` in row `y`, whose band was entered, not clipped, for the colours of the row in `guide`;
    /// all lie in mixed runs, and in `guide` and `target` at their own place.
    func write(_ y: Int, columns: Range<Int>, guide: ColorGuide.Row, into target: UnsafeMutablePointer<Float>) {
        let (width, down) = (fullWidth, vertical.fraction[y])
        enlarged.withUnsafeBufferPointer { enlarged in
            let upper = enlarged.baseAddress!
            let lower = upper + Self.numberCount * width
            @inline(__always)
            func number(_ index: Int, _ x: Int) -> Float {
                let above = upper[index &* width &+ x]
                return above + (lower[index &* width &+ x] - above) * down
            }
            for x in columns {
                let ofLuma = number(1, x) * guide.luma[x]
                let ofChroma = number(2, x) * guide.blue[x] + number(3, x) * guide.red[x]
                target[x] = number(0, x) + (ofLuma + ofChroma)
            }
        }
    }
}
