import Dispatch

/// Each of `count` pieces of work on a core of its own, as far as there are cores.
func sideBySide(_ count: Int, _ work: @Sendable (Int) throws(VisionError) -> Void) throws(VisionError) {
    var results = [Result<Void, VisionError>](repeating: .success(()), count: count)
    results.withUnsafeMutableBufferPointer { results in
        // Each result is the matter of one thread alone.
        nonisolated(unsafe) let results = results
        DispatchQueue.concurrentPerform(iterations: count) { index in
            results[index] = Result { () throws(VisionError) in try work(index) }
        }
    }
    for result in results { try result.get() }
}
