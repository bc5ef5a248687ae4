/// The working memory for the three colour components of a small picture, each a map of its own.
struct ComponentMaps {
    private var values: [Float] = []

    /// Values of one component.
    private(set) var count = 0

    /// Makes room for `count` values of each; what they are is undefined until they are written.
    mutating func resize(_ count: Int) {
        self.count = count
        if values.count < 3 * count { values = Array(repeating: 0, count: 3 * count) }
    }

    /// Calls `body` with the three maps; they are valid only during the call.
    mutating func withPointers<R>(_ body: ([UnsafeMutablePointer<Float>]) -> R) -> R {
        let count = count
        return values.withUnsafeMutableBufferPointer { values in
            body((0..<3).map { values.baseAddress! + $0 * count })
        }
    }
}
