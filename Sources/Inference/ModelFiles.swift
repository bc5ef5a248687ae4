import Glibc

/// The files that a model is made of: the one that is named, and those beside it that hold its weights.
///
/// A model may come from anybody, and the runtime reads whatever file a model names. So all of them are looked at before: they
/// are regular files of a sane size, of a format that is known by its first bytes, and weights lie beside the model.
struct ModelFiles {
    /// Bytes of one file.
    static let sizeLimit = 1 << 30

    private let main: MappedFile
    private let weights: [(path: String, file: MappedFile)]

    /// - Throws: `InferenceError` of kind `unavailable` for a file that is missing, of kind `invalid` for one that is not what it
    ///   should be.
    init(path: String) throws(InferenceError) {
        do throws(MappedFile.Problem) {
            main = try MappedFile(path: path, limit: Self.sizeLimit)
        } catch {
            throw Self.refusal(path, error.cause, error.isMissing ? .unavailable : .invalid)
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        var weights: [(String, MappedFile)] = []
        let names = try main.withBytes { (bytes) throws(InferenceError) in try Self.weightNames(path, bytes) }
        for name in names {
            let file = folder + name
            guard Self.isBeside(file, path) else {
                throw Self.refusal(path, "its weights '\(name)' are a link to another folder", .invalid)
            }
            do throws(MappedFile.Problem) {
                weights.append((file, try MappedFile(path: file, limit: Self.sizeLimit)))
            } catch {
                throw Self.refusal(
                    path, "its weights '\(name)' can't be used: \(error.cause)",
                    error.isMissing ? .unavailable : .invalid)
            }
        }
        self.weights = weights
    }

    /// The hash of all their contents.
    var hash: UInt64 {
        var hash = ContentHash()
        main.withBytes { hash.add($0) }
        for (path, file) in weights {
            hash.add(path)
            file.withBytes { hash.add($0) }
        }
        return hash.value
    }

    /// The names of the files beside the model that hold its weights.
    private static func weightNames(
        _ path: String, _ bytes: UnsafeRawBufferPointer
    ) throws(InferenceError) -> [String] {
        // The runtime tries every format that it knows on a file that is not what its name says.
        if path.hasSuffix(".tflite") {
            guard bytes.count >= 8, bytes[4..<8].elementsEqual("TFL3".utf8) else {
                throw refusal(path, "it is not a TensorFlow Lite model", .invalid)
            }
            return []
        }
        if path.hasSuffix(".xml") {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            guard bytes.starts(with: "<".utf8) || bytes.starts(with: mark + Array("<".utf8)) else {
                throw refusal(path, "it is not OpenVINO IR", .invalid)
            }
            // IR has its weights in a .bin of the same name; one without any may have an empty one.
            let bin = String(path.dropLast(3) + "bin")
            var status = stat()
            guard stat(bin, &status) == 0, status.st_mode & S_IFMT != S_IFREG || status.st_size > 0 else { return [] }
            return [bin.split(separator: "/").last.map(String.init) ?? bin]
        }
        if path.hasSuffix(".onnx") {
            guard let weights = ONNXWeights(bytes) else { throw refusal(path, "it is not an ONNX model", .invalid) }
            if weights.names.contains(where: { !FileName.isPlain($0) }) {
                throw refusal(path, "it names weights that don't lie beside it", .invalid)
            }
            return weights.names.sorted()
        }
        throw refusal(path, "its name does not end in .tflite, .onnx or .xml", .invalid)
    }

    /// Whether `weights` lie where the model or the link to it lies.
    private static func isBeside(_ weights: String, _ model: String) -> Bool {
        guard let real = realFolder(of: weights) else { return true }
        let link = model.lastIndex(of: "/").map { String(model[...$0]) } ?? "."
        return real == realFolder(of: model) || real == realPath(link)
    }

    private static func realFolder(of path: String) -> String? {
        realPath(path).map { real in real.lastIndex(of: "/").map { String(real[..<$0]) } ?? "" }
            .map { $0.isEmpty ? "/" : $0 }
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func refusal(_ path: String, _ cause: String, _ kind: InferenceError.Kind) -> InferenceError {
        InferenceError(kind, operation: "read", file: path, cause: cause)
    }
}
