import Dispatch

/// Does pieces of one frame's work that have nothing to do with each other at the same time, where there are several cores.
enum SideBySide {
    /// Work that touches nothing that another piece touches.
    typealias Piece = () -> Result<Void, VisionError>

    /// Does all of `pieces`, which begin in their order, and returns when they are done; throws what the first of them failed with.
    static func perform(_ pieces: [Piece]) throws(VisionError) {
        var results = [Result<Void, VisionError>](repeating: .success(()), count: pieces.count)
        results.withUnsafeMutableBufferPointer { results in
            // Each piece, and each result, is the matter of one thread alone.
            nonisolated(unsafe) let (pieces, results) = (pieces, results)
            DispatchQueue.concurrentPerform(iterations: pieces.count) { results[$0] = pieces[$0]() }
        }
        for result in results { try result.get() }
    }
}
