@testable import Inference

/// The scan of an ONNX file for the files that hold its weights, and what lies in the cache of compiled models.
enum ModelTarget {
    private static let scratch = Scratch("model")
    private static let key: UInt64 = 0x0123_4567_89AB_CDEF
    // libFuzzer calls from one thread.
    nonisolated(unsafe) private static let cache = ModelCache(directory: scratch.path("."), limit: 1 << 20)

    static func run(_ bytes: [UInt8]) {
        _ = try? ModelFiles(path: scratch.write(bytes, "model.onnx")).hash
        guard let cache else { return }
        _ = scratch.write(bytes, "0123456789abcdef.blob")
        _ = cache.blob(key)
        bytes.withUnsafeBytes { cache.keep($0, key) }
        let kept = cache.blob(key).map { blob in withExtendedLifetime(blob) { Array(blob.bytes) } }
        precondition(bytes.isEmpty || kept == bytes, "what was kept does not come back")
    }
}
