import Glibc

extension VideoDevice {
    /// Why the device can't be asked about itself, and what to do about it; nil where it can.
    public var refusal: MediaError? {
        guard problem != nil else { return nil }
        guard access(path, R_OK | W_OK) != 0 else { return nil }
        return DeviceErrors(path: path, role: .camera).failure(.system(errno))
    }
}
