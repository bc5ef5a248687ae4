/// A dense block of 32-bit floating-point numbers with a shape, in row-major order.
///
/// Owns its memory. Not safe to use from two threads at once.
package final class Tensor {
    /// Sizes of the dimensions, outermost first.
    package let shape: [Int]
    /// Number of elements: the product of `shape`.
    package let count: Int
    let elements: UnsafeMutablePointer<Float>

    /// A tensor of zeros; every dimension is at least 1.
    package init(shape: [Int]) {
        precondition(shape.allSatisfy { $0 > 0 }, "a tensor's dimensions are at least 1")
        self.shape = shape
        count = shape.reduce(1, *)
        elements = .allocate(capacity: count)
        elements.initialize(repeating: 0, count: count)
    }

    deinit { elements.deallocate() }

    /// Sets every element to `value`.
    package func fill(_ value: Float) { elements.update(repeating: value, count: count) }

    /// Whether every element is a number.
    package var isFinite: Bool { UnsafeBufferPointer(start: elements, count: count).allSatisfy(\.isFinite) }

    /// Calls `body` with the elements; they are valid only during the call.
    package func withUnsafeMutableElements<R, E: Error>(
        _ body: (UnsafeMutableBufferPointer<Float>) throws(E) -> R
    ) throws(E) -> R {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeMutableBufferPointer(start: elements, count: count))
    }
}
