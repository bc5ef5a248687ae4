/// A small map of linear functions of luma, enlarged bilinearly to a picture's size: what a guided filter has fitted.
///
/// Most of a mask is surely clear or surely opaque: where the four functions around a pixel stay at or below 0, or at or above 1,
/// for whatever luma, so does every mixture of them. Those pixels cost nothing; only the others are enlarged.
/// Keeps its working memory, and is therefore for one thread at a time.
struct LinearFunctionMap {
    /// The functions' slopes and offsets: mask = slope * luma + offset.
    private(set) var slope: ScalarMap
    private var offset: ScalarMap
    private var horizontal = LinearTaps(limit: 1, count: 1)
    private var vertical = LinearTaps(limit: 1, count: 1)
    /// Columns of the picture.
    private(set) var fullWidth = 0
    /// Rows of the picture.
    private(set) var fullHeight = 0
    /// The first column of the picture between function i and the next, for each i; and at last the picture's width.
    private var columnStarts: [Int] = []
    /// For each function the bits of the kinds of run that it speaks for.
    private var kinds: [UInt8] = []
    /// The rows of functions that `runs` and the four enlarged rows are of.
    private var band: (upper: Int32, lower: Int32) = (-1, -1)
    /// The runs of the rows in the band.
    private(set) var runs: [MaskRun] = []
    private var enlarged: [Float] = []

    /// `width` by `height` functions.
    init(width: Int, height: Int) {
        slope = ScalarMap(width: width, height: height)
        offset = slope
        kinds = Array(repeating: 0, count: width * height)
    }

    /// Calls `body` with the slopes and the offsets to write.
    mutating func withValues(_ body: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) -> Void) {
        func both(_ slope: inout [Float], _ offset: inout [Float]) {
            slope.withUnsafeMutableBufferPointer { slope in
                offset.withUnsafeMutableBufferPointer { body(slope.baseAddress!, $0.baseAddress!) }
            }
        }
        both(&slope.values, &offset.values)
    }

    /// Takes slopes and offsets as they are now for a picture of `fullWidth` by `fullHeight`.
    mutating func prepare(fullWidth: Int, fullHeight: Int) {
        if (self.fullWidth, self.fullHeight) != (fullWidth, fullHeight) {
            (self.fullWidth, self.fullHeight) = (fullWidth, fullHeight)
            horizontal = LinearTaps(limit: slope.width, count: fullWidth)
            vertical = LinearTaps(limit: slope.height, count: fullHeight)
            enlarged = Array(repeating: 0, count: 4 * fullWidth)
            columnStarts = Array(repeating: fullWidth, count: slope.width + 1)
            for x in (0..<fullWidth).reversed() { columnStarts[Int(horizontal.first[x])] = x }
            for i in (0..<slope.width).reversed() { columnStarts[i] = min(columnStarts[i], columnStarts[i + 1]) }
        }
        band = (-1, -1)
        classify()
    }

    // Luma lies in 0…1, and a linear function has its extremes at the ends.
    private mutating func classify() {
        let count = kinds.count
        let (clear, opaque) = (MaskRun.Kind.clear.rawValue, MaskRun.Kind.opaque.rawValue)
        kinds.withUnsafeMutableBufferPointer { kinds in
            slope.values.withUnsafeBufferPointer { slope in
                offset.values.withUnsafeBufferPointer { offset in
                    for i in 0..<count {
                        let (dark, bright) = (offset[i], offset[i] + slope[i])
                        kinds[i] =
                            (max(dark, bright) <= 0 ? clear : 0) | (min(dark, bright) >= 1 ? opaque : 0)
                    }
                }
            }
        }
    }

    /// Goes to the band of row `y`, whose `runs` cover the picture's columns.
    mutating func enter(_ y: Int) {
        let wanted = (vertical.first[y], vertical.second[y])
        guard wanted != band else { return }
        band = wanted
        findRuns()
        for run in runs where run.kind == .mixed {
            enlarge(slope, Int(band.upper), run.columns, into: 0)
            enlarge(slope, Int(band.lower), run.columns, into: 1)
            enlarge(offset, Int(band.upper), run.columns, into: 2)
            enlarge(offset, Int(band.lower), run.columns, into: 3)
        }
    }

    private mutating func findRuns() {
        runs.removeAll(keepingCapacity: true)
        let width = slope.width
        let (upper, lower) = (Int(band.upper) * width, Int(band.lower) * width)
        kinds.withUnsafeBufferPointer { kinds in
            func kind(_ i: Int) -> UInt8 { kinds[upper &+ i] & kinds[lower &+ i] }
            var here = kind(0)
            for i in 0..<width {
                let next = i + 1 < width ? kind(i + 1) : here
                let columns = columnStarts[i]..<columnStarts[i + 1]
                let both = MaskRun.Kind(rawValue: here & next) ?? .mixed
                here = next
                if columns.isEmpty { continue }
                if let last = runs.last, last.kind == both {
                    runs[runs.count - 1].columns = last.columns.lowerBound..<columns.upperBound
                } else {
                    runs.append(MaskRun(columns: columns, kind: both))
                }
            }
        }
    }

    private mutating func enlarge(_ map: ScalarMap, _ row: Int, _ columns: Range<Int>, into place: Int) {
        let start = place * fullWidth
        enlarged.withUnsafeMutableBufferPointer { enlarged in
            map.values.withUnsafeBufferPointer { values in
                horizontal.withPointers { first, second, fraction in
                    let source = values.baseAddress! + row * map.width
                    let target = enlarged.baseAddress! + start
                    for x in columns {
                        let a = source[Int(first[x])]
                        target[x] = a + (source[Int(second[x])] - a) * fraction[x]
                    }
                }
            }
        }
    }

    /// Writes the values of `columns` in row `y`, whose band was entered, not clipped, for the luma `guide` (0…1) of the row;
    /// all lie in mixed runs, and in `guide` and `target` at their own place.
    func write(
        _ y: Int, columns: Range<Int>, guide: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>
    ) {
        let (width, down) = (fullWidth, vertical.fraction[y])
        enlarged.withUnsafeBufferPointer { enlarged in
            let upperSlope = enlarged.baseAddress!
            let (lowerSlope, upperOffset) = (upperSlope + width, upperSlope + 2 * width)
            let lowerOffset = upperSlope + 3 * width
            for x in columns {
                let slope = upperSlope[x] + (lowerSlope[x] - upperSlope[x]) * down
                let offset = upperOffset[x] + (lowerOffset[x] - upperOffset[x]) * down
                target[x] = slope * guide[x] + offset
            }
        }
    }
}
