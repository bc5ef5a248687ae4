import CFFmpeg

/// A hardware device that decodes or encodes, as FFmpeg opens it.
final class HardwareDevice {
    let reference: UnsafeMutablePointer<AVBufferRef>

    /// FFmpeg's names of the types that it was built with, such as `vaapi`, `cuda` and `qsv`.
    static var typeNames: [String] {
        Array(
            sequence(state: AV_HWDEVICE_TYPE_NONE) { type -> String? in
                type = av_hwdevice_iterate_types(type)
                return type == AV_HWDEVICE_TYPE_NONE ? nil : name(of: type)
            })
    }

    static func name(of type: AVHWDeviceType) -> String {
        av_hwdevice_get_type_name(type).map { String(cString: $0) } ?? "unknown"
    }

    /// Opens `device`, which is named as FFmpeg names it: a path such as `/dev/dri/renderD128` for VAAPI, a number for CUDA; nil
    /// for the first one.
    ///
    /// `operation` and `advice` are for messages about `file`.
    /// - Throws: `.unavailable` where the device or its driver is not there.
    init(_ type: AVHWDeviceType, device: String?, file: String, operation: String, advice: String) throws(MediaError) {
        LibraryLog.install()
        let position = LibraryLog.position
        var reference: UnsafeMutablePointer<AVBufferRef>?
        let rc = av_hwdevice_ctx_create(&reference, type, device, nil, 0)
        guard rc >= 0, let reference else {
            let name = device.map { "the \(Self.name(of: type)) device '\($0)'" } ?? "a \(Self.name(of: type)) device"
            var words = LibraryLog.firstError(since: position) ?? AVError(code: rc).description
            // FFmpeg says nothing more where it looked for a device by itself.
            if rc == FFErrorExternal, device == nil { words = "none was found" }
            if words.hasSuffix(".") { words.removeLast() }
            throw MediaError(
                kind: .unavailable, file: file, operation: operation, cause: "\(name) can't be opened: \(words)",
                advice: advice)
        }
        self.reference = reference
    }

    deinit {
        var reference: UnsafeMutablePointer<AVBufferRef>? = reference
        av_buffer_unref(&reference)
    }
}

extension UnsafePointer<AVCodec> {
    /// Whether the decoder or encoder runs on hardware.
    var runsOnHardware: Bool {
        pointee.capabilities & (AV_CODEC_CAP_HARDWARE | AV_CODEC_CAP_HYBRID) != 0 || !hardwareConfigurations.isEmpty
    }

    /// What the codec can do with hardware devices.
    var hardwareConfigurations: [AVCodecHWConfig] {
        Array(
            sequence(state: CInt(0)) { index -> AVCodecHWConfig? in
                defer { index += 1 }
                return avcodec_get_hw_config(self, index)?.pointee
            })
    }
}

extension AVCodecHWConfig {
    /// Whether it needs nothing but a device.
    var takesDevice: Bool { methods & CInt(AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0 }
    /// Whether it needs frames that lie in the device.
    var takesFrames: Bool { methods & CInt(AV_CODEC_HW_CONFIG_METHOD_HW_FRAMES_CTX) != 0 }
}
