import Foundation
import Imaging

/// The kernels as one thinks of them: pixel by pixel, each from its definition. What the product's are compared with.
enum PlainKernels {
    /// foreground * alpha + background * (1 - alpha), rounded.
    @inline(__always)
    static func blend<T: FixedWidthInteger>(_ foreground: T, _ background: T, alpha: UInt8) -> T {
        let sum = Int(foreground) * Int(alpha) + Int(background) * (255 - Int(alpha))
        return T((sum + 127) / 255)
    }

    static func blend<T: FixedWidthInteger>(
        _ foreground: Samples<T>, _ background: Samples<T>, alpha: Samples<UInt8>, into target: Samples<T>
    ) {
        for i in 0..<target.count { target[i] = blend(foreground[i], background[i], alpha: alpha[i]) }
    }

    /// A mask at the size of 4:2:0 chroma, whose samples lie on the left column and between two rows.
    static func chromaAlpha(_ alpha: Samples<UInt8>, width: Int, height: Int, into target: Samples<UInt8>) {
        for y in 0..<height / 2 {
            for x in 0..<width / 2 {
                var sum = 8
                for row in [2 * y, 2 * y + 1] {
                    for (column, weight) in [(2 * x - 1, 2), (2 * x, 4), (2 * x + 1, 2)] {
                        sum += weight * Int(alpha[row * width + max(column, 0)])
                    }
                }
                target[y * (width / 2) + x] = UInt8(sum / 16)
            }
        }
    }

    /// The mean over windows that the borders clip.
    static func boxMean(_ source: Samples<Float>, width: Int, height: Int, radius: Int, into target: Samples<Float>) {
        for y in 0..<height {
            for x in 0..<width {
                var (sum, count) = (Float(0), Float(0))
                for row in max(0, y - radius)...min(height - 1, y + radius) {
                    for column in max(0, x - radius)...min(width - 1, x + radius) {
                        sum += source[row * width + column]
                        count += 1
                    }
                }
                target[y * width + x] = sum / count
            }
        }
    }

    /// The value of a map at (x, y) of `fullWidth` x `fullHeight` pixels, interpolated linearly.
    static func enlarged(
        _ map: Samples<Float>, width: Int, height: Int, x: Int, y: Int, fullWidth: Int, fullHeight: Int
    ) -> Float {
        func place(_ i: Int, _ limit: Int, _ count: Int) -> (Int, Int, Float) {
            let position = (Double(i) + 0.5) * Double(limit) / Double(count) - 0.5
            let inside = min(max(position, 0), Double(limit - 1))
            let whole = Int(inside)
            return (whole, min(whole + 1, limit - 1), Float(inside - Double(whole)))
        }
        let (left, right, across) = place(x, width, fullWidth)
        let (upper, lower, down) = place(y, height, fullHeight)
        let a = map[upper * width + left] + (map[upper * width + right] - map[upper * width + left]) * across
        let b = map[lower * width + left] + (map[lower * width + right] - map[lower * width + left]) * across
        return a + (b - a) * down
    }

    /// A mask of 0…1 as a byte.
    static func byte(_ value: Float) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }

    /// The chroma of 4:2:0 at pixel (x, y), sited on the left and between two rows, from a plane of `width` by `height`.
    static func chroma(_ plane: Samples<UInt8>, width: Int, height: Int, x: Int, y: Int) -> Float {
        func place(_ position: Float, _ limit: Int) -> (Int, Int, Float) {
            let inside = min(max(position, 0), Float(limit - 1))
            return (Int(inside), min(Int(inside) + 1, limit - 1), inside - inside.rounded(.down))
        }
        let (left, right, across) = place(Float(x) / 2, width)
        let (upper, lower, down) = place(Float(y) / 2 - 0.25, height)
        func row(_ y: Int) -> Float {
            let a = Float(plane[y * width + left])
            return a + (Float(plane[y * width + right]) - a) * across
        }
        return row(upper) + (row(lower) - row(upper)) * down
    }

    /// The offsets and the slopes of the linear discriminants of each window, mixed with the mask.
    static func discriminants(
        mask: Samples<Float>, components: [Samples<Float>], width: Int, height: Int, radius: Int, variances: [Float]
    ) -> [Samples<Float>] {
        let maps = (0...components.count).map { _ in Samples<Float>(repeating: 0, count: width * height) }
        for y in 0..<height {
            for x in 0..<width {
                let window = (max(0, y - radius)...min(height - 1, y + radius)).flatMap { row in
                    (max(0, x - radius)...min(width - 1, x + radius)).map { row * width + $0 }
                }
                let people = window.map { max(0, mask[$0] - 0.65) / 0.35 }
                let background = window.map { max(0, 0.35 - mask[$0]) / 0.35 }
                let i = y * width + x
                maps[0][i] = mask[i]
                let fewer = min(people.reduce(0, +), background.reduce(0, +))
                guard fewer >= 0.1 else { continue }
                var distance: Float = 0
                var means: [Float] = []
                for (index, component) in components.enumerated() {
                    let values = window.map { component[$0] }
                    let (one, other) = (moments(values, people), moments(values, background))
                    let slope = (one.mean - other.mean) / (variances[index] + one.variance + other.variance)
                    distance += (one.mean - other.mean) * slope
                    maps[index + 1][i] = slope
                    means.append(other.mean)
                }
                let share = fewer / (fewer + 0.5) / (distance + 2)
                for index in components.indices { maps[index + 1][i] *= share }
                maps[0][i] *= 1 - distance * share
                for (index, mean) in means.enumerated() { maps[0][i] -= maps[index + 1][i] * mean }
            }
        }
        return maps
    }

    private static func moments(_ values: [Float], _ weights: [Float]) -> (mean: Float, variance: Float) {
        let total = weights.reduce(0, +)
        let mean = zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } / total
        return (mean, zip(values, weights).reduce(0) { $0 + ($1.0 - mean) * ($1.0 - mean) * $1.1 } / total)
    }

    /// How much each source sample counts in each target sample of a resampled axis: by how much of it is covered, with edges
    /// that are a sample wide. `shift` is how far the samples lie before the middle of the pixels that they cover.
    static func resampling(_ limit: Int, to count: Int, shift: Double) -> [[(index: Int, weight: Float)]] {
        let scale = Double(limit) / Double(count)
        return (0..<count).map { target in
            let center = (Double(target) + 0.5) * scale - 0.5 + shift
            let reach = max(scale, 1) / 2 + 0.5
            let found = (Int(center - reach) - 1...Int(center + reach) + 1).map { source in
                (min(max(source, 0), limit - 1), max(0, min(1, reach - abs(Double(source) - center))))
            }
            let sum = found.reduce(0) { $0 + $1.1 }
            return found.filter { $0.1 > 0 }.map { (index: $0.0, weight: Float($0.1 / sum)) }
        }
    }
}
