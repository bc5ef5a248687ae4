import COpenVINO

/// A network as the runtime runs it, whose requests share its weights. OpenVINO documents it as safe to use from several threads at
/// once.
final class CompiledModel {
    let pointer: OpaquePointer
    /// What it was imported from, where the runtime goes on to read weights.
    private let blob: ModelCache.Blob?

    /// Takes the model at `pointer` over, and frees it in the end.
    init(_ pointer: OpaquePointer, blob: ModelCache.Blob? = nil) { (self.pointer, self.blob) = (pointer, blob) }

    deinit { ov_compiled_model_free(pointer) }

    /// An inference of its own, which whoever asked for it frees, before the model goes; `file` is the model's, for messages.
    func makeRequest(file: String) throws(InferenceError) -> OpaquePointer {
        var request: OpaquePointer?
        try check(ov_compiled_model_create_infer_request(pointer, &request), "prepare", file: file)
        guard let request else { throw InferenceError(operation: "prepare", file: file, cause: "no request was made") }
        return request
    }
}
