/// Tells, in cells of 8 by 8 pixels, how a picture moved since a reference.
///
/// What a cell and its surroundings, half as wide as it is, show is moved to where it differs least from the reference (Lucas and
/// Kanade, "An Iterative Image Registration Technique with an Application to Stereo Vision", 1981), in the luma of the picture at
/// half its size. That finds motions of some pixels; whether it did tell the differences that remain. Keeps its working memory,
/// and is therefore for one thread at a time.
public struct OpticalFlow {
    /// What is known of a cell.
    public struct Cell: Sendable, Equatable {
        /// How far to the right, and how far down, what it shows was in the reference, in pixels.
        public var motion = SIMD2<Float>.zero
        /// By how much it and its surroundings differ from that: the mean of their luma's absolute differences (0…1).
        public var difference: Float = 0
    }

    /// Pixels along a cell's side.
    public static let side = 8
    /// The same at half size, where a cell with its surroundings is two cells wide.
    private static let half = 4
    private static let surroundings = half / 2
    private static let iterations = 3
    /// A step in pixels at half size, squared, after which another would find nothing.
    private static let enough: Float = 1e-3
    /// The variance of a gradient that an edge has to stand out from; noise moves nothing.
    private static let noise: Float = 1e-4
    /// How far a cell may move in either direction, in pixels at half size.
    private static let reach: Float = 4
    /// By how much the planes go on beyond the cells, so that none of them ends before what a cell is compared with.
    private static let margin = 8

    /// The cells, row after row; those at the right and at the bottom may go on beyond the picture, whose border is repeated there.
    public private(set) var cells: [Cell] = []
    public private(set) var columns = 0
    public private(set) var rows = 0

    /// Of the picture.
    private var size = (width: 0, height: 0)
    /// Of the picture at half its size.
    private var (width, height) = (0, 0)
    private var stride = 0
    private var luma: [Float] = []
    private var reference: [Float] = []
    private var shrunk: [Float] = []
    private var blur = BoxFilter(width: 1, height: 1, radius: 1)

    public init() {}

    /// Takes the next picture, of at least 2 by 2 pixels; one of another size than those before is its own reference.
    public mutating func see(_ picture: RGBMap) {
        let isFirst = (picture.width, picture.height) != size
        if isFirst { resize(width: picture.width, height: picture.height) }
        shrink(picture)
        spread()
        if isFirst { reference = luma }
    }

    /// Makes the last picture the reference of those that follow.
    public mutating func keep() { swap(&luma, &reference) }

    /// Finds how the last picture moved since the reference.
    public mutating func estimate() {
        let (columns, stride) = (columns, stride)
        let first = Self.margin - Self.surroundings
        luma.withUnsafeBufferPointer { luma in
            reference.withUnsafeBufferPointer { reference in
                for index in cells.indices {
                    let (row, column) = (index / columns, index % columns)
                    let place = (first &+ row &* Self.half) &* stride &+ first &+ column &* Self.half
                    cells[index] = Self.cell(luma.baseAddress! + place, reference.baseAddress! + place, stride)
                }
            }
        }
    }

    private mutating func resize(width: Int, height: Int) {
        precondition(width > 1 && height > 1, "half a picture has at least one pixel")
        size = (width, height)
        (columns, rows) = ((width + Self.side - 1) / Self.side, (height + Self.side - 1) / Self.side)
        let (width, height) = (width / 2, height / 2)
        (self.width, self.height) = (width, height)
        stride = columns * Self.half + 2 * Self.margin
        luma = Array(repeating: 0, count: stride * (rows * Self.half + 2 * Self.margin))
        shrunk = Array(repeating: 0, count: width * height)
        blur = BoxFilter(width: width, height: height, radius: 1)
        cells = Array(repeating: Cell(), count: columns * rows)
    }

    // Without the noise of single pixels.
    private mutating func shrink(_ picture: RGBMap) {
        let (width, height) = (width, height)
        shrunk.withUnsafeMutableBufferPointer { target in
            picture.values.withUnsafeBufferPointer { source in
                for y in 0..<height {
                    let upper = source.baseAddress! + 6 &* y &* picture.width
                    let lower = upper + 3 &* picture.width
                    for x in 0..<width {
                        let (left, right) = (6 &* x, 6 &* x &+ 3)
                        let red = upper[left] + upper[right] + lower[left] + lower[right]
                        let green = upper[left &+ 1] + upper[right &+ 1] + lower[left &+ 1] + lower[right &+ 1]
                        let blue = upper[left &+ 2] + upper[right &+ 2] + lower[left &+ 2] + lower[right &+ 2]
                        target[y &* width &+ x] = (red + 2 * green + blue) * (1 / 16)
                    }
                }
            }
            blur.mean(target.baseAddress!, into: target.baseAddress!)
        }
    }

    // Into the plane with its margins.
    private mutating func spread() {
        let (width, height, stride, margin) = (width, height, stride, Self.margin)
        luma.withUnsafeMutableBufferPointer { luma in
            shrunk.withUnsafeBufferPointer { source in
                for y in 0..<luma.count / stride {
                    let row = source.baseAddress! + min(max(y - margin, 0), height - 1) &* width
                    let target = luma.baseAddress! + y &* stride
                    target.update(repeating: row[0], count: margin)
                    (target + margin).update(from: row, count: width)
                    (target + margin + width).update(repeating: row[width - 1], count: stride - margin - width)
                }
            }
        }
    }

    // Of the cell whose surroundings begin `here`, and in the reference `there`.
    @inline(__always)
    private static func cell(_ here: UnsafePointer<Float>, _ there: UnsafePointer<Float>, _ stride: Int) -> Cell {
        let matrix = gradients(here, stride)
        let determinant = matrix.xx * matrix.yy - matrix.xy * matrix.xy
        var cell = Cell()
        for _ in 0..<iterations {
            let (x, y) = differences(here, there, stride, &cell)
            let step =
                SIMD2(matrix.yy * x - matrix.xy * y, matrix.xx * y - matrix.xy * x) / determinant
            let reach = SIMD2(repeating: reach)
            cell.motion = (cell.motion - step).clamped(lowerBound: -reach, upperBound: reach)
            if (step * step).sum() < enough { break }
        }
        _ = differences(here, there, stride, &cell)
        cell.motion *= 2
        return cell
    }

    // How the luma's gradients go together.
    @inline(__always)
    private static func gradients(
        _ here: UnsafePointer<Float>, _ stride: Int
    ) -> (xx: Float, xy: Float, yy: Float) {
        var (xx, xy, yy) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
        for y in 0..<2 &* half {
            let (x, y) = gradient(here + y &* stride, stride)
            (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y)
        }
        let noise = noise * Float(4 * half * half)
        return (xx.sum() + noise, xy.sum(), yy.sum() + noise)
    }

    // How they go together with the differences from the reference, which are told the cell.
    @inline(__always)
    private static func differences(
        _ here: UnsafePointer<Float>, _ there: UnsafePointer<Float>, _ stride: Int, _ cell: inout Cell
    ) -> (x: Float, y: Float) {
        let whole = cell.motion.rounded(.down)
        let fraction = cell.motion - whole
        let there = there + (Int(whole.y) &* stride &+ Int(whole.x))
        var (xt, yt, difference) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
        var upper = between(there, fraction.x)
        for y in 0..<2 &* half {
            let line = here + y &* stride
            let lower = between(there + (y &+ 1) &* stride, fraction.x)
            let change = upper + (lower - upper) * fraction.y - load(line)
            upper = lower
            let gradient = gradient(line, stride)
            xt += gradient.x * change
            yt += gradient.y * change
            difference += magnitude(change)
        }
        cell.difference = difference.sum() / Float(4 * half * half)
        return (xt.sum(), yt.sum())
    }

    @inline(__always)
    private static func load(_ pointer: UnsafePointer<Float>) -> SIMD8<Float> {
        UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Float>.self)
    }

    @inline(__always)
    private static func between(_ pointer: UnsafePointer<Float>, _ fraction: Float) -> SIMD8<Float> {
        let left = load(pointer)
        return left + (load(pointer + 1) - left) * fraction
    }

    @inline(__always)
    private static func gradient(
        _ here: UnsafePointer<Float>, _ stride: Int
    ) -> (x: SIMD8<Float>, y: SIMD8<Float>) {
        ((load(here + 1) - load(here - 1)) * 0.5, (load(here + stride) - load(here - stride)) * 0.5)
    }

    // The vector's own comparisons are no single instruction.
    @inline(__always)
    private static func magnitude(_ vector: SIMD8<Float>) -> SIMD8<Float> {
        unsafeBitCast(unsafeBitCast(vector, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF, to: SIMD8<Float>.self)
    }
}
