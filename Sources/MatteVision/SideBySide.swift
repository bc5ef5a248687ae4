import Dispatch

/// Does pieces of work that have nothing to do with each other at the same time, where there are several cores.
enum SideBySide {
    /// Work that touches nothing that another piece touches.
    typealias Piece = Work<Void>
    typealias Work<Value> = () -> Result<Value, VisionError>

    /// Does all of `pieces`, which begin in their order, and returns when they are done; throws what the first of them failed with.
    static func perform(_ pieces: [Piece]) throws(VisionError) {
        for result in results(of: pieces) { try result.get() }
    }

    /// What becomes of each of `pieces`, which begin in their order, when all are done.
    static func results<Value>(of pieces: [Work<Value>]) -> [Result<Value, VisionError>] {
        var results = [Result<Value, VisionError>?](repeating: nil, count: pieces.count)
        results.withUnsafeMutableBufferPointer { results in
            // Each piece, and each result, is the matter of one thread alone.
            nonisolated(unsafe) let (pieces, results) = (pieces, results)
            DispatchQueue.concurrentPerform(iterations: pieces.count) { results[$0] = pieces[$0]() }
        }
        return results.map { $0! }
    }
}
