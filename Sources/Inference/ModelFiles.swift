import Glibc

/// The files that a model is made of: the one that is named, and those beside it that hold its weights.
enum ModelFiles {
    /// The hash of all their contents; nil where one of them can't be read.
    static func hash(of path: String) -> UInt64? {
        guard let main = MappedFile(path: path) else { return nil }
        var hash = ContentHash()
        hash.add(main.bytes)
        for weights in weights(of: path, main.bytes) {
            guard let file = MappedFile(path: weights) else { return nil }
            hash.add(weights)
            hash.add(file.bytes)
        }
        return hash.value
    }

    private static func weights(of path: String, _ bytes: UnsafeRawBufferPointer) -> [String] {
        // OpenVINO's IR has its weights in a .bin of the same name.
        if path.hasSuffix(".xml") {
            let bin = path.dropLast(3) + "bin"
            return access(String(bin), F_OK) == 0 ? [String(bin)] : []
        }
        guard path.hasSuffix(".onnx") else { return [] }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return externalData(bytes).map { folder + $0 }.sorted()
    }

    /// The names of the files that an ONNX model's tensors lie in: entries of `TensorProto.external_data` with the key
    /// `location` (`onnx.proto`), as protocol buffers write them.
    private static func externalData(_ bytes: UnsafeRawBufferPointer) -> Set<String> {
        let key: [UInt8] = [0x0A, 0x08] + Array("location".utf8) + [0x12]
        var names: Set<String> = []
        guard let base = bytes.baseAddress else { return names }
        var start = 0
        while let found = memchr(base + start, CInt(key[0]), bytes.count - start) {
            let position = UnsafeRawPointer(found) - base
            start = position + 1
            let text = position + key.count + 1
            guard text <= bytes.count else { break }
            guard memcmp(found, key, key.count) == 0 else { continue }
            // One byte tells lengths up to 127; a name that is longer comes out as one that no file has.
            let length = min(Int(bytes[text - 1] & 0x7F), bytes.count - text)
            names.insert(String(decoding: bytes[text..<(text + length)], as: UTF8.self))
        }
        return names
    }
}
