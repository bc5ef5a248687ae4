import Glibc
import Imaging

/// Sums over a disc around each cell of a map: what a round aperture does to a point of light.
///
/// A row of the disc is the difference of two running sums, so that the cost grows with the disc's height alone. Beyond the
/// map's edges there is nothing. Keeps its working memory, and is therefore for one thread at a time.
struct DiscSpread {
    private var running: [Float] = []
    private var result: [Float] = []

    /// Replaces each value by the sum over the disc with these radii in cells, across and down.
    mutating func apply(_ map: inout ScalarMap, radius: (x: Double, y: Double)) {
        let (width, height) = (map.width, map.height)
        let reach = Int(radius.y)
        let margin = Int(radius.x) + 1
        let stride = width + 2 * margin + 1
        if running.count != stride * height { running = Array(repeating: 0, count: stride * height) }
        if result.count != width { result = Array(repeating: 0, count: width) }
        let halfWidths = (0...reach).map { row in
            Int(radius.x * max(1 - Double(row * row) / (radius.y * radius.y), 0).squareRoot())
        }
        running.withUnsafeMutableBufferPointer { running in
            map.values.withUnsafeMutableBufferPointer { values in
                result.withUnsafeMutableBufferPointer { result in
                    for y in 0..<height {
                        Self.sumUp(
                            values.baseAddress! + y * width, width: width, margin: margin,
                            into: running.baseAddress! + y * stride)
                    }
                    for y in 0..<height {
                        result.update(repeating: 0)
                        for row in max(y - reach, 0)...min(y + reach, height - 1) {
                            Self.add(
                                running.baseAddress! + row * stride + margin, halfWidth: halfWidths[abs(row - y)],
                                to: result.baseAddress!, count: width)
                        }
                        (values.baseAddress! + y * width).update(from: result.baseAddress!, count: width)
                    }
                }
            }
        }
    }

    // The sum of all before each place, with `margin` places more at both ends.
    private static func sumUp(
        _ values: UnsafePointer<Float>, width: Int, margin: Int, into running: UnsafeMutablePointer<Float>
    ) {
        running.update(repeating: 0, count: margin)
        var sum: Float = 0
        for x in 0..<width {
            running[margin &+ x] = sum
            sum += values[x]
        }
        (running + margin + width).update(repeating: sum, count: margin + 1)
    }

    private static func add(
        _ running: UnsafePointer<Float>, halfWidth: Int, to result: UnsafeMutablePointer<Float>, count: Int
    ) {
        let (left, right) = (running - halfWidth, running + halfWidth + 1)
        for x in 0..<count { result[x] += right[x] - left[x] }
    }
}
