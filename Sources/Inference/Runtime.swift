import COpenVINO
import Glibc
import Synchronization

/// The neural runtime, set up for one device (an OpenVINO core).
///
/// OpenVINO documents its core as safe to use from several threads at once, hence `@unchecked Sendable`.
package final class Runtime: @unchecked Sendable {
    let core: OpaquePointer
    let device: Device

    /// Imported models get the properties of their core alone, so each set of them has a core of its own.
    private static let made = Mutex<[Device: Runtime]>([:])

    /// The runtime of this process for `device`, made at its first use; `file` is the model that is to run, for messages.
    static func shared(for device: Device, file: String) throws(InferenceError) -> Runtime {
        try made.withLock { (made) throws(InferenceError) in
            if let runtime = made[device] { return runtime }
            let runtime = try Runtime(device, file: file)
            made[device] = runtime
            return runtime
        }
    }

    /// More than OpenVINO opens at a time. Where it can open no file, it reads some of the system's for ever.
    private static let neededDescriptors = 32

    private static func checkDescriptors(file: String) throws(InferenceError) {
        let opened = (0..<neededDescriptors).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for descriptor in opened where descriptor >= 0 { close(descriptor) }
        guard opened.allSatisfy({ $0 >= 0 }) else {
            throw InferenceError(
                operation: "set up the runtime for", file: file,
                cause: "not even \(neededDescriptors) files more can be opened; raise the limit (ulimit -n)")
        }
    }

    private init(_ device: Device, file: String) throws(InferenceError) {
        try Self.checkDescriptors(file: file)
        var core: OpaquePointer?
        try check(ov_core_create(&core), "set up the runtime for", file: file)
        guard let core else {
            throw InferenceError(operation: "set up the runtime for", file: file, cause: "no core was made")
        }
        self.core = core
        self.device = device
        if !device.isVirtual { try setProperties(file: file) }
    }

    deinit { ov_core_free(core) }

    /// Asks the device for what it knows of the properties.
    private func setProperties(file: String) throws(InferenceError) {
        guard let known = property("SUPPORTED_PROPERTIES") else {
            if let absence = absence(file: file) { throw absence }
            throw InferenceError(operation: "compile", file: file, cause: "the device '\(device.name)' can't be used")
        }
        let names = Set(known.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        for (key, value) in device.properties where names.contains(key) {
            try perform("compile", file: file) { matte_set_property(core, device.name, key, value) }
        }
    }

    /// The value of one of the device's properties; nil where it has none or is not there.
    func property(_ key: String) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard ov_core_get_property(core, device.name, key, &value) == OK, let value else { return nil }
        defer { ov_free(value) }
        return String(cString: value)
    }

    /// Calls the runtime; a failure for a device that is not there says which are, any other is of `kind`.
    func perform(
        _ operation: String, file: String, _ kind: InferenceError.Kind = .unavailable, _ body: () -> ov_status_e
    ) throws(InferenceError) {
        do throws(InferenceError) {
            try check(body(), operation, file: file, kind: kind)
        } catch {
            throw absence(file: file) ?? error
        }
    }

    /// The error that tells which of the devices that are named is missing, if any is.
    private func absence(file: String) -> InferenceError? {
        let available = availableDevices
        guard !available.isEmpty else {
            return InferenceError(
                operation: "compile", file: file,
                cause: "OpenVINO can't load any of its devices: is there enough memory?")
        }
        guard let missing = device.missing(among: available) else { return nil }
        return InferenceError(
            operation: "compile", file: file,
            cause: "there is no device '\(missing)' here, only \(available.joined(separator: ", ")); "
                + "choose another, or install its driver")
    }

    /// The devices that there are, such as `CPU` and `GPU.0`.
    var availableDevices: [String] {
        var devices = ov_available_devices_t()
        guard ov_core_get_available_devices(core, &devices) == OK else { return [] }
        defer { ov_available_devices_free(&devices) }
        return (0..<devices.size).compactMap { devices.devices[$0].map { String(cString: $0) } }
    }

    /// Sets the runtime up for models with `options`, which takes a while at the first time; what fails shows when one is made.
    package static func prepare(_ options: Model.Options) {
        _ = try? shared(for: Device(options), file: "")
    }

    /// Whether the device of `options` computes in their precision by itself; what can't be asked does so in 32 bits alone.
    package static func computes(_ options: Model.Options) -> Bool {
        guard options.precision == .bfloat16 else { return true }
        var asked = options
        asked.precision = .float32
        let runtime = try? shared(for: Device(asked), file: "")
        return runtime?.property("OPTIMIZATION_CAPABILITIES")?.contains("BF16") ?? false
    }

    /// The devices that models can run on, such as `CPU` and `GPU.0`; the runtime is set up for it.
    ///
    /// - Throws: `InferenceError` where the runtime can't be set up.
    package static func devices() throws(InferenceError) -> [String] {
        try shared(for: Device(Model.Options()), file: "").availableDevices
    }

    /// The first of the devices named in `device`, such as `GPU` or `AUTO:GPU,CPU`, that is not there; nil where all are.
    ///
    /// - Throws: `InferenceError` where the runtime can't be set up.
    package static func missingDevice(in device: String) throws(InferenceError) -> String? {
        var options = Model.Options()
        options.device = device
        return Device(options).missing(among: try devices())
    }

    /// The runtime's version, such as `2026.4.1-…`.
    package static var version: String {
        var version = ov_version_t()
        guard ov_get_openvino_version(&version) == OK else { return "unknown" }
        defer { ov_version_free(&version) }
        return String(cString: version.buildNumber)
    }
}

/// The one door from a runtime's status to a Swift error.
func check(
    _ status: ov_status_e, _ operation: String, file: String, kind: InferenceError.Kind = .unavailable
) throws(InferenceError) {
    guard status != OK else { return }
    let message = ov_get_last_err_msg()
    defer { ov_free(message) }
    let words = message.map { String(cString: $0) } ?? ""
    // The runtime's messages begin with source positions of its own; the last line with words is the cause.
    let lines = words.split(separator: "\n").filter {
        !$0.hasPrefix("Exception from ") && !$0.hasPrefix("Check '") && $0.contains(where: \.isLetter)
    }
    throw InferenceError(
        kind, operation: operation, file: file, cause: lines.last.map(String.init) ?? "status \(status.rawValue)")
}
