/// For each sample of an enlarged axis: the two source samples around it and how far it is on the way to the second.
struct LinearTaps {
    let first: [Int32]
    let second: [Int32]
    let fraction: [Float]

    /// Target sample i lies at `origin + i * step` in source samples; beyond the first and last sample those are repeated.
    init(origin: Double, step: Double, count: Int, limit: Int) {
        var first = [Int32](repeating: 0, count: count)
        var second = first
        var fraction = [Float](repeating: 0, count: count)
        for i in 0..<count {
            let position = min(max(origin + Double(i) * step, 0), Double(limit - 1))
            let whole = min(Int(position), limit - 1)
            first[i] = Int32(whole)
            second[i] = Int32(min(whole + 1, limit - 1))
            fraction[i] = Float(position - Double(whole))
        }
        self.first = first
        self.second = second
        self.fraction = fraction
    }

    /// Enlarges `limit` samples to `count` with the centres of the outer edges aligned.
    init(limit: Int, count: Int) {
        let step = Double(limit) / Double(count)
        self.init(origin: 0.5 * step - 0.5, step: step, count: count, limit: limit)
    }

    /// Calls `body` with the three arrays; they are valid only during the call.
    @inline(__always)
    func withPointers<R>(
        _ body: (UnsafePointer<Int32>, UnsafePointer<Int32>, UnsafePointer<Float>) -> R
    ) -> R {
        first.withUnsafeBufferPointer { first in
            second.withUnsafeBufferPointer { second in
                fraction.withUnsafeBufferPointer { body(first.baseAddress!, second.baseAddress!, $0.baseAddress!) }
            }
        }
    }
}
