import COpenVINO
import Glibc

/// Compiles models for a device, or takes them from a cache.
struct ModelCompiler {
    /// Changes whenever files of the cache come to mean something else.
    private static let cacheFormat = "1"

    let runtime: Runtime
    let cache: ModelCache?
    private let inputShape: [Int]?

    init(_ options: Model.Options, file: String) throws(InferenceError) {
        let device = Device(options)
        runtime = try Runtime.shared(for: device, file: file)
        inputShape = options.inputShape
        // What hands its work on to other devices can't be exported.
        cache = device.isVirtual ? nil : options.cacheDirectory.flatMap { ModelCache(directory: $0) }
    }

    /// The model at `path`, compiled.
    func compile(_ path: String) throws(InferenceError) -> CompiledModel {
        let files = try ModelFiles(path: path)
        guard let cache else { return CompiledModel(try compileFile(path)) }
        let key = key(of: files)
        if let blob = cache.blob(key), let model = importModel(blob.bytes) { return CompiledModel(model, blob: blob) }
        let model = CompiledModel(try compileFile(path))
        // Unless the file was replaced meanwhile.
        if let files = try? ModelFiles(path: path), self.key(of: files) == key, let blob = exported(model.pointer) {
            blob.withBytes { cache.keep($0, key) }
        }
        return model
    }

    /// The bytes of a compiled model. It is written to memory, because the runtime does not tell of a disk that is full.
    private func exported(_ model: OpaquePointer) -> MappedFile? {
        let memory = matte_memory_file()
        guard memory >= 0 else { return nil }
        defer { close(memory) }
        guard ov_compiled_model_export_model(model, "/proc/self/fd/\(memory)") == OK else { return nil }
        return MappedFile(descriptor: memory)
    }

    private func compileFile(_ path: String) throws(InferenceError) -> OpaquePointer {
        let network = try read(path)
        defer { ov_model_free(network) }
        if let inputShape { try reshape(network, to: inputShape, file: path) }
        var model: OpaquePointer?
        let device = runtime.device
        try runtime.perform("compile", file: path) {
            device.isVirtual
                ? matte_compile_model_for_devices(
                    runtime.core, network, device.name, device.virtualProperties, &model)
                : matte_compile_model(runtime.core, network, device.name, &model)
        }
        guard let model else { throw InferenceError(operation: "compile", file: path, cause: "nothing was made") }
        return model
    }

    private func reshape(_ network: OpaquePointer, to shape: [Int], file: String) throws(InferenceError) {
        try runtime.perform("reshape", file: file, .invalid) {
            var partial = ov_partial_shape_t()
            var dimensions = shape.map(Int64.init)
            let status = ov_partial_shape_create_static(Int64(shape.count), &dimensions, &partial)
            guard status == OK else { return status }
            defer { ov_partial_shape_free(&partial) }
            return ov_model_reshape_single_input(network, partial)
        }
    }

    private func read(_ path: String) throws(InferenceError) -> OpaquePointer {
        var network: OpaquePointer?
        do throws(InferenceError) {
            try runtime.perform("read", file: path, .invalid) { ov_core_read_model(runtime.core, path, nil, &network) }
        } catch {
            throw Self.missingFrontend(path, error.cause) ?? error
        }
        guard let network else { throw InferenceError(operation: "read", file: path, cause: "nothing was read") }
        return network
    }

    /// The error for a part of the runtime that is not installed, without which it tells which ones there are; nil where that is not
    /// the `cause`.
    static func missingFrontend(_ path: String, _ cause: String) -> InferenceError? {
        guard let list = cause.firstRange(of: "Available frontends:").map({ cause[$0.upperBound...] }) else {
            return nil
        }
        let suffix = path.split(separator: ".").last ?? ""
        let (name, present) = (suffix == "xml" ? "ir" : suffix, list.split(separator: " "))
        guard !present.contains(name) else { return nil }
        return InferenceError(
            operation: "read", file: path,
            cause: "OpenVINO's frontend '\(name)' is not here, only \(present.joined(separator: ", ")); install it")
    }

    /// nil where the runtime refuses it, such as for one made on a processor with other instructions.
    private func importModel(_ blob: UnsafeRawBufferPointer) -> OpaquePointer? {
        var model: OpaquePointer?
        let bytes = blob.assumingMemoryBound(to: CChar.self)
        guard ov_core_import_model(runtime.core, bytes.baseAddress, bytes.count, runtime.device.name, &model) == OK
        else { return nil }
        return model
    }

    /// The hash of all that a compiled model depends on.
    private func key(of files: ModelFiles) -> UInt64 {
        var hash = ContentHash(seed: files.hash)
        hash.add(Self.cacheFormat)
        hash.add(Runtime.version)
        hash.add(runtime.device.name)
        hash.add(runtime.property("FULL_DEVICE_NAME") ?? "")
        hash.add(runtime.property("DEVICE_ARCHITECTURE") ?? "")
        for (key, value) in runtime.device.properties { hash.add("\(key)=\(value)") }
        if let inputShape { hash.add("input=\(inputShape)") }
        return hash.value
    }
}
