import CFFmpeg
import Glibc

/// The sentences that say why a device can't be had, and what to do about it.
struct DeviceErrors {
    let path: String
    let role: VideoDevice.Role

    private static let list = "'matte devices' lists those that there are"

    private func error(_ cause: String, _ advice: String?, kind: MediaError.Kind? = nil) -> MediaError {
        let isCamera = role == .camera
        return MediaError(
            kind: kind ?? (isCamera ? .noInput : .cannotCreate), file: path, operation: isCamera ? "open" : "write to",
            cause: cause, advice: advice)
    }

    var missing: MediaError { error("there is no such device", Self.list) }

    func ambiguous(_ devices: [VideoDevice]) -> MediaError {
        let names = devices.map { "\($0.name) (\($0.path))" }.joined(separator: " or ")
        return error("it may be \(names)", "name one by its path", kind: .usage)
    }

    var notCamera: MediaError { error("no pictures come from it", Self.list) }

    /// A device of v4l2loopback is a camera only as long as it is written to.
    var unfed: MediaError {
        error(
            "it is a virtual camera that nothing writes to", "start the program that feeds it, or choose another camera"
        )
    }

    var notVirtualCamera: MediaError {
        error(
            "it is not a virtual camera", "make one with 'sudo modprobe v4l2loopback exclusive_caps=1 card_label=matte'"
        )
    }

    func busy(_ holders: [DeviceHolder]) -> MediaError {
        guard !holders.isEmpty else { return error("another program uses it", "end that program first") }
        return error(
            "it is in use by \(holders.map(\.description).joined(separator: ", "))", "end that program first")
    }

    var forbidden: MediaError {
        let group = groupName
        let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "you"
        return error(
            "\(user) may not use it",
            group.map { "join the group '\($0)' with 'sudo usermod -aG \($0) \(user)' and log in again" })
    }

    /// The group that may use the device.
    private var groupName: String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o060 == 0o060, let group = getgrgid(status.st_gid) else {
            return nil
        }
        return String(cString: group.pointee.gr_name)
    }

    func noMode(_ wish: String, modes: [CameraMode]) -> MediaError {
        error("it has no mode with \(wish)", "it has " + modes.map(\.description).joined(separator: "; "), kind: .usage)
    }

    /// What an error of the system's means for a device.
    func failure(_ code: AVError, detail: String? = nil) -> MediaError {
        switch code {
        case .system(ENOENT): missing
        case .system(EACCES), .system(EPERM): forbidden
        case .system(EBUSY): busy(DeviceHolder.all(of: path))
        case .system(ENODEV), .system(ENXIO): error("it is gone", Self.list)
        case .system(ETIMEDOUT):
            error("no picture came from it", "check its cable and its shutter, or choose another mode")
        default: error((detail ?? code.description).lowercased(), nil)
        }
    }
}
