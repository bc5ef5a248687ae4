extension VideoDevice {
    /// Why the device can't be asked about itself, and what to do about it; nil where it can.
    package var refusal: MediaError? {
        errorNumber.map { DeviceErrors(path: path, role: .camera).failure(.system($0)) }
    }
}
