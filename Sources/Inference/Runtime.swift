import COpenVINO

/// The neural runtime of this process (OpenVINO's core), made at its first use.
///
/// OpenVINO documents its core as safe to use from several threads at once, hence `@unchecked Sendable`.
public final class Runtime: @unchecked Sendable {
    let core: OpaquePointer

    static let shared = Result { () throws(InferenceError) in try Runtime() }

    private init() throws(InferenceError) {
        var core: OpaquePointer?
        try check(ov_core_create(&core), "set up the runtime for", file: "OpenVINO")
        guard let core else { throw InferenceError(operation: "set up", file: "OpenVINO", cause: "no core was made") }
        self.core = core
    }

    deinit { ov_core_free(core) }

    /// The runtime's version, such as `2026.4.1-…`.
    public static var version: String {
        var version = ov_version_t()
        guard ov_get_openvino_version(&version) == OK else { return "unknown" }
        defer { ov_version_free(&version) }
        return String(cString: version.buildNumber)
    }
}

/// The one door from a runtime's status to a Swift error.
func check(_ status: ov_status_e, _ operation: String, file: String) throws(InferenceError) {
    guard status != OK else { return }
    let words = ov_get_last_err_msg().map { String(cString: $0) } ?? ""
    // The runtime's messages begin with source positions of its own; the last line with text is the cause.
    let lines = words.split(separator: "\n").filter { !$0.hasPrefix("Exception from ") && !$0.hasPrefix("Check '") }
    throw InferenceError(
        operation: operation, file: file, cause: lines.last.map(String.init) ?? "status \(status.rawValue)")
}
