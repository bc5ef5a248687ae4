/// Cuts a rectangle out of a frame and enlarges it, to a fraction of a pixel and in the frame's own format.
///
/// Interpolates with Catmull-Rom splines (Keys' cubic with a = -1/2, "Cubic Convolution Interpolation for Digital Image
/// Processing", 1981), each plane at its own siting. A rectangle of whole samples of every plane at its own size is copied
/// exactly. Takes its pictures from a pool and keeps its working memory; for one thread at a time.
public final class FrameScaler {
    private let pool = PixelBufferPool()
    private var line: [Float] = []

    public init() {}

    /// The part of `frame` inside `region`, in pixels of the stored picture, as a picture of `width` by `height`.
    ///
    /// The region is not larger than that by more than a pixel: shrinking would alias. What of it lies outside of the frame
    /// repeats the frame's edge.
    public func cut(_ region: Rectangle, of frame: VideoFrame, width: Int, height: Int) -> VideoFrame {
        let source = frame.pixelBuffer
        precondition(!source.format.isFloatingPoint, "frames have whole-number components")
        precondition(
            region.width <= Double(width) + 1 && region.height <= Double(height) + 1, "a region is not made smaller")
        var target = pool.makeBuffer(format: source.format, width: width, height: height)
        source.withPlanes { planes in
            target.withMutablePlanes { targets in
                for (index, layout) in source.format.planes.enumerated() {
                    let (columns, rows) = Self.taps(
                        region, layout, frame.color.chromaLocation, planes[index], targets[index],
                        size: (width, height))
                    let peak = Float((1 << source.format.bitDepth) - 1)
                    if source.format.bytesPerComponent == 1 {
                        scale(planes[index], targets[index], columns, rows, layout.componentCount, peak, UInt8.self)
                    } else {
                        scale(planes[index], targets[index], columns, rows, layout.componentCount, peak, UInt16.self)
                    }
                }
            }
        }
        var result = frame
        result.pixelBuffer = target.publish()
        // Where no matrix is told the size tells it, and that of a part may tell another.
        let matrix = frame.color.matrix.resolved(width: source.width, height: source.height)
        if source.format.colorModel == .yuv, matrix != frame.color.matrix.resolved(width: width, height: height) {
            result.color.matrix = matrix
        }
        return result
    }

    private static func taps(
        _ region: Rectangle, _ layout: PixelFormat.PlaneLayout, _ location: ColorDescription.ChromaLocation,
        _ source: Plane, _ target: MutablePlane, size: (width: Int, height: Int)
    ) -> (columns: CubicTaps, rows: CubicTaps) {
        let row = location.row.map { Double($0) + 0.5 } ?? 1
        return (
            CubicTaps(
                origin: region.x, scale: region.width / Double(size.width), shift: layout.horizontalShift,
                middle: layout.horizontalShift == 0 || location.isOnColumn ? 0.5 : 1, count: target.width,
                limit: source.width),
            CubicTaps(
                origin: region.y, scale: region.height / Double(size.height), shift: layout.verticalShift,
                middle: layout.verticalShift == 0 ? 0.5 : row, count: target.height, limit: source.height)
        )
    }

    private func scale<T: PixelComponent>(
        _ source: Plane, _ target: MutablePlane, _ columns: CubicTaps, _ rows: CubicTaps, _ components: Int,
        _ peak: Float, _ type: T.Type
    ) {
        if let left = columns.copied, let top = rows.copied {
            for y in 0..<target.height {
                let row = source.row(top + y, as: type) + left * components
                target.row(y, as: type).update(from: row, count: target.width * components)
            }
            return
        }
        let read = columns.read(of: source.width)
        let (start, count) = (read.lowerBound * components, read.count * components)
        if line.count < source.width * components { line = Array(repeating: 0, count: source.width * components) }
        line.withUnsafeMutableBufferPointer { line in
            let line = line.baseAddress!
            for y in 0..<target.height {
                let (first, weights) = (Int(rows.first[y]), rows.weights[y])
                let limit = source.height - 1
                func row(_ offset: Int) -> UnsafePointer<T> {
                    source.row(min(max(first + offset, 0), limit), as: type) + start
                }
                T.weighFour((row(0), row(1), row(2), row(3)), weights: weights, into: line + start, count: count)
                Self.gather(
                    line, columns, components, limit: source.width - 1, peak, into: target.row(y, as: type),
                    count: target.width)
            }
        }
    }

    private static func gather<T: PixelComponent>(
        _ line: UnsafePointer<Float>, _ taps: CubicTaps, _ components: Int, limit: Int, _ peak: Float,
        into target: UnsafeMutablePointer<T>, count: Int
    ) {
        taps.first.withUnsafeBufferPointer { first in
            taps.weights.withUnsafeBufferPointer { weights in
                for x in 0..<count {
                    let (start, weight) = (Int(first[x]), weights[x])
                    let a = min(max(start, 0), limit) &* components
                    let b = min(max(start &+ 1, 0), limit) &* components
                    let c = min(max(start &+ 2, 0), limit) &* components
                    let d = min(max(start &+ 3, 0), limit) &* components
                    for component in 0..<components {
                        let line = line + component
                        let outer = line[a] * weight.x + line[d] * weight.w
                        let sum = outer + line[b] * weight.y + line[c] * weight.z
                        target[x &* components &+ component] = T(nearest: min(max(sum, 0), peak))
                    }
                }
            }
        }
    }
}

/// For each sample of an enlarged axis: the first of the four source samples around it, which may lie outside of the
/// source, and their weights.
private struct CubicTaps {
    let first: [Int32]
    let weights: [SIMD4<Float>]
    /// The source sample that the first one is, where all are whole samples of the source, side by side.
    let copied: Int?

    /// A sample of a plane lies `middle` pixels after the first edge of the `1 << shift` pixels that it stands for.
    init(origin: Double, scale: Double, shift: Int, middle: Double, count: Int, limit: Int) {
        let step = Double(1 << shift)
        var first = [Int32](repeating: 0, count: count)
        var weights = [SIMD4<Float>](repeating: .zero, count: count)
        for i in 0..<count {
            let pixel = origin + (Double(i) * step + middle) * scale
            let position = min(max((pixel - middle) / step, -1), Double(limit))
            let whole = position.rounded(.down)
            first[i] = Int32(whole) - 1
            weights[i] = Self.weights(Float(position - whole))
        }
        self.first = first
        self.weights = weights
        let start = Int(first[0]) + 1
        let isWhole = weights.allSatisfy { $0 == SIMD4(0, 1, 0, 0) } && Int(first[count - 1]) + 1 == start + count - 1
        copied = isWhole && start >= 0 && start + count <= limit ? start : nil
    }

    /// The samples that are read, of so many.
    func read(of limit: Int) -> Range<Int> {
        let last = limit - 1
        return min(max(Int(first[0]), 0), last)..<min(max(Int(first[first.count - 1]) + 3, 0), last) + 1
    }

    private static func weights(_ t: Float) -> SIMD4<Float> {
        let (square, cube) = (t * t, t * t * t)
        return SIMD4(
            -0.5 * t + square - 0.5 * cube, 1 - 2.5 * square + 1.5 * cube, 0.5 * t + 2 * square - 1.5 * cube,
            -0.5 * square + 0.5 * cube)
    }
}
