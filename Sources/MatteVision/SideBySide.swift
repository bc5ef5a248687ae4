import Dispatch

/// Pieces of one frame's work that have nothing to do with each other, done at the same time where there are several cores.
enum SideBySide {
    /// A piece of work that touches nothing that another one touches.
    typealias Work = () -> Result<Void, VisionError>

    /// Does all of `pieces`, which begin in their order, and returns when they are done; throws what the first of them failed with.
    static func work(_ pieces: [Work]) throws(VisionError) {
        var results = [Result<Void, VisionError>](repeating: .success(()), count: pieces.count)
        results.withUnsafeMutableBufferPointer { results in
            // Each piece, and each result, is the matter of one thread alone.
            nonisolated(unsafe) let (pieces, results) = (pieces, results)
            DispatchQueue.concurrentPerform(iterations: pieces.count) { results[$0] = pieces[$0]() }
        }
        for result in results { try result.get() }
    }
}
