/// The mean over a rectangular window, at a cost that does not depend on the window's size.
///
/// At the borders the window is clipped, and the mean is over what is left of it. Keeps its working memory, and is therefore
/// for one thread at a time.
public struct BoxFilter {
    /// Columns of the maps.
    public let width: Int
    /// Rows of the maps.
    public let height: Int
    /// How many values the window reaches to the left and to the right of its middle.
    public let across: Int
    /// How many it reaches up and down.
    public let down: Int
    private var sums: [Float]
    private var rows: [Float]
    private let columnScale: [Float]

    /// For maps of `width` by `height`, at least 1 each, and windows of `2 * radius + 1` on each side.
    public init(width: Int, height: Int, radius: Int) {
        self.init(width: width, height: height, across: radius, down: radius)
    }

    /// The same with windows of `2 * across + 1` by `2 * down + 1`.
    public init(width: Int, height: Int, across: Int, down: Int) {
        precondition(width > 0 && height > 0 && across >= 0 && down >= 0)
        self.width = width
        self.height = height
        self.across = across
        self.down = down
        sums = Array(repeating: 0, count: width)
        rows = Array(repeating: 0, count: width * height)
        columnScale = (0..<width).map { x in 1 / Float(min(x + across, width - 1) - max(x - across, 0) + 1) }
    }

    /// Writes the means of `source` to `target`; both hold `width * height` values, and may be the same memory.
    public mutating func mean(_ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>) {
        let (width, height, across, down) = (width, height, across, down)
        rows.withUnsafeMutableBufferPointer { rows in
            sums.withUnsafeMutableBufferPointer { sums in
                columnScale.withUnsafeBufferPointer { scale in
                    let rows = rows.baseAddress!
                    let sums = sums.baseAddress!
                    for y in 0..<height {
                        let (line, target) = (source + y &* width, rows + y &* width)
                        if across <= 2, width > 2 * across {
                            Self.add(line, into: target, width, across, scale.baseAddress!)
                        } else {
                            Self.slide(line, into: target, width, across, scale.baseAddress!)
                        }
                    }
                    if down == 1 {
                        Self.addThree(rows, into: target, width, height)
                    } else {
                        Self.slide(rows, sums: sums, into: target, width, height, down)
                    }
                }
            }
        }
    }

    // Small windows are added up anew for each pixel: many pixels at a time, where a running sum goes one by one.
    @inline(__always)
    private static func add(
        _ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, _ width: Int, _ radius: Int,
        _ scale: UnsafePointer<Float>
    ) {
        func clipped(_ x: Int) -> Float {
            var sum: Float = 0
            for i in max(0, x - radius)...min(width - 1, x + radius) { sum += source[i] }
            return sum * scale[x]
        }
        for x in 0..<radius { target[x] = clipped(x) }
        let inner = radius..<width - radius
        switch radius {
        case 0: target.update(from: source, count: width)
        case 1: for x in inner { target[x] = (source[x &- 1] + source[x] + source[x &+ 1]) * scale[x] }
        default:
            for x in inner {
                let outer = source[x &- 2] + source[x &+ 2]
                target[x] = (outer + source[x &- 1] + source[x] + source[x &+ 1]) * scale[x]
            }
        }
        for x in inner.upperBound..<width { target[x] = clipped(x) }
    }

    @inline(__always)
    private static func slide(
        _ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, _ width: Int, _ radius: Int,
        _ scale: UnsafePointer<Float>
    ) {
        var sum: Float = 0
        for x in 0..<min(radius, width) { sum += source[x] }
        for x in 0..<width {
            if x + radius < width { sum += source[x &+ radius] }
            if x - radius > 0 { sum -= source[x &- radius &- 1] }
            target[x] = sum * scale[x]
        }
    }

    // The window of radius 1 down the columns.
    @inline(__always)
    private static func addThree(
        _ rows: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, _ width: Int, _ height: Int
    ) {
        for y in 0..<height {
            let (here, output) = (rows + y &* width, target + y &* width)
            let (above, below) = (here - width, here + width)
            switch (y > 0, y + 1 < height) {
            case (true, true): for x in 0..<width { output[x] = (above[x] + here[x] + below[x]) * (1 / 3) }
            case (true, false): for x in 0..<width { output[x] = (above[x] + here[x]) * 0.5 }
            case (false, true): for x in 0..<width { output[x] = (here[x] + below[x]) * 0.5 }
            case (false, false): output.update(from: here, count: width)
            }
        }
    }

    // The sum over a window of any height goes down the columns with it.
    @inline(__always)
    private static func slide(
        _ rows: UnsafePointer<Float>, sums: UnsafeMutablePointer<Float>, into target: UnsafeMutablePointer<Float>,
        _ width: Int, _ height: Int, _ radius: Int
    ) {
        sums.update(repeating: 0, count: width)
        for y in 0..<min(radius, height) {
            let row = rows + y &* width
            for x in 0..<width { sums[x] += row[x] }
        }
        for y in 0..<height {
            if y + radius < height {
                let entering = rows + (y &+ radius) &* width
                for x in 0..<width { sums[x] += entering[x] }
            }
            if y - radius > 0 {
                let leaving = rows + (y &- radius &- 1) &* width
                for x in 0..<width { sums[x] -= leaving[x] }
            }
            let scale = 1 / Float(min(y + radius, height - 1) - max(y - radius, 0) + 1)
            let output = target + y &* width
            for x in 0..<width { output[x] = sums[x] * scale }
        }
    }
}
