import CFFmpeg

/// The device that an encoder works on, and the frames in it where the encoder takes no others.
final class HardwareEncoding {
    /// Codecs whose hardware encoders take 10 bits.
    private static let deepCodecs = [AV_CODEC_ID_HEVC, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1]

    private let device: HardwareDevice
    /// The format of frames in the device; nil for an encoder that takes them from memory.
    private let pixelFormat: AVPixelFormat?
    /// Made when the encoder is opened, where it takes no frames from memory.
    private var frames: DeviceFrames?

    /// Opens the device for `codec`; nil where it needs none and none is named, or where it knows none.
    ///
    /// - Throws: `.unavailable` where the device or its driver is not there, `.usage` for a device that the encoder has no use
    ///   for.
    init?(_ codec: UnsafePointer<AVCodec>, device name: String?, file: String) throws(MediaError) {
        let configurations = codec.hardwareConfigurations
        let configuration: AVCodecHWConfig
        if Self.takesDeviceFramesAlone(codec), let first = configurations.first(where: \.takesFrames) {
            (configuration, pixelFormat) = (first, first.pix_fmt)
        } else if name != nil, let first = configurations.first(where: \.takesDevice) {
            (configuration, pixelFormat) = (first, nil)
        } else {
            return nil
        }
        device = try HardwareDevice(
            configuration.device_type, device: name, file: file, operation: "encode",
            advice: "install its driver or name another --hwaccel-device, or choose an encoder that runs on the CPU")
    }

    /// Whether the encoder takes no frames from memory.
    static func takesDeviceFramesAlone(_ codec: UnsafePointer<AVCodec>) -> Bool {
        let taken = PixelFormatChoice.taken(by: codec)
        return !taken.isEmpty && taken.allSatisfy(\.isInDevice)
    }

    /// The formats in memory of frames for `codec`: those that are brought to the device where it takes no others.
    static func memoryFormats(of codec: UnsafePointer<AVCodec>, _ taken: [AVPixelFormat]) -> [AVPixelFormat] {
        guard codec.runsOnHardware else { return taken }
        let formats = takesDeviceFramesAlone(codec) ? [AV_PIX_FMT_NV12, AV_PIX_FMT_P010LE] : taken
        return formats.filter { !$0.isInDevice && (deepCodecs.contains(codec.pointee.id) || $0.bitDepth <= 8) }
    }

    /// Gives an encoder that is about to be opened the device, and frames of the size and format that it is set for.
    func attach(to context: UnsafeMutablePointer<AVCodecContext>) throws(AVError) {
        guard let pixelFormat else {
            context.pointee.hw_device_ctx = try AVError.allocated(av_buffer_ref(device.reference))
            return
        }
        let made = try DeviceFrames(
            device, pixelFormat: pixelFormat, memoryFormat: context.pointee.pix_fmt, width: context.pointee.width,
            height: context.pointee.height)
        frames = made
        context.pointee.pix_fmt = pixelFormat
        context.pointee.hw_frames_ctx = try AVError.allocated(av_buffer_ref(made.reference))
    }

    /// `frame` as the encoder takes it: in the device, or as it is.
    func upload(_ frame: FrameReference) throws(AVError) -> FrameReference {
        try frames?.upload(frame) ?? frame
    }
}

extension AVPixelFormat {
    /// Whether it tells of frames that lie in a device.
    var isInDevice: Bool {
        guard let descriptor = av_pix_fmt_desc_get(self) else { return false }
        return descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) != 0
    }
}
