/// For each sample of an enlarged axis: the first of the four source samples around it, which may lie outside of the
/// source, and their weights.
struct CubicTaps {
    let first: [Int32]
    let weights: [SIMD4<Float>]
    /// The source sample that the first one is, where all are whole samples of the source, side by side.
    let copied: Int?

    /// A sample of a plane lies `middle` pixels after the first edge of the `1 << shift` pixels that it stands for. Of a field,
    /// 0 or 1, samples are every other one of the plane.
    init(origin: Double, scale: Double, shift: Int, middle: Double, count: Int, limit: Int, field: Int? = nil) {
        let step = Double(1 << shift)
        let (start, every) = field.map { (Double($0), 2.0) } ?? (0, 1)
        var first = [Int32](repeating: 0, count: count)
        var weights = [SIMD4<Float>](repeating: .zero, count: count)
        for i in 0..<count {
            let pixel = origin + ((Double(i) * every + start) * step + middle) * scale
            let position = min(max(((pixel - middle) / step - start) / every, -1), Double(limit))
            let whole = position.rounded(.down)
            first[i] = Int32(whole) - 1
            weights[i] = Self.weights(Float(position - whole))
        }
        self.first = first
        self.weights = weights
        let place = Int(first[0]) + 1
        let isWhole = weights.allSatisfy { $0 == SIMD4(0, 1, 0, 0) } && Int(first[count - 1]) + 1 == place + count - 1
        copied = isWhole && place >= 0 && place + count <= limit ? place : nil
    }

    /// The samples that are read, of so many.
    func read(of limit: Int) -> Range<Int> {
        let last = limit - 1
        return min(max(Int(first[0]), 0), last)..<min(max(Int(first[first.count - 1]) + 3, 0), last) + 1
    }

    /// The rows of `plane` around sample `y`; its edge goes on.
    func four<T>(
        _ y: Int, of plane: Plane, as type: T.Type
    ) -> (UnsafePointer<T>, UnsafePointer<T>, UnsafePointer<T>, UnsafePointer<T>) {
        func row(_ offset: Int) -> UnsafePointer<T> {
            plane.row(min(max(Int(first[y]) + offset, 0), plane.height - 1), as: type)
        }
        return (row(0), row(1), row(2), row(3))
    }

    func withTaps(_ body: (UnsafeBufferPointer<Int32>, UnsafeBufferPointer<SIMD4<Float>>) -> Void) {
        first.withUnsafeBufferPointer { first in weights.withUnsafeBufferPointer { body(first, $0) } }
    }

    private static func weights(_ t: Float) -> SIMD4<Float> {
        let (square, cube) = (t * t, t * t * t)
        return SIMD4(
            -0.5 * t + square - 0.5 * cube, 1 - 2.5 * square + 1.5 * cube, 0.5 * t + 2 * square - 1.5 * cube,
            -0.5 * square + 0.5 * cube)
    }
}
