import CFFmpeg
import Synchronization

/// How a video is to be decoded: on which device, by which decoder.
struct HardwareDecoding {
    /// FFmpeg's name of the acceleration, such as `vaapi`; nil for decoding on the CPU.
    var acceleration: String?
    /// FFmpeg's name of the device; nil for the first one.
    var device: String?
    /// FFmpeg's name of the decoder; nil for the usual one.
    var decoder: String?

    init(_ options: MediaReader.Options) {
        acceleration = options.hwaccel == "none" ? nil : options.hwaccel
        device = options.hwaccelDevice
        decoder = options.decoder
    }

    /// The decoder for videos of `codec`, which messages call `codecName`, and the device's type and pixel format where it decodes on
    /// one.
    struct Choice {
        let decoder: UnsafePointer<AVCodec>
        let configuration: AVCodecHWConfig?
    }

    /// - Throws: `.usage` for names that don't exist, and for what does not decode `codec`; `.badData` where nothing does.
    func choice(for codec: AVCodecID, named codecName: String, file: String) throws(MediaError) -> Choice {
        guard let usual = avcodec_find_decoder(codec) else {
            throw MediaError(
                kind: .badData, file: file, operation: "decode", cause: "FFmpeg has no decoder for \(codecName) here")
        }
        let named = try decoder.map { (name) throws(MediaError) in
            try Self.decoder(named: name, for: codec, codecName, file)
        }
        guard let acceleration else { return Choice(decoder: named ?? usual, configuration: nil) }
        let type = av_hwdevice_find_type_by_name(acceleration)
        guard type != AV_HWDEVICE_TYPE_NONE else {
            throw MediaError(
                kind: .usage, file: file, operation: "decode",
                cause: "this FFmpeg has no hardware acceleration '\(acceleration)'",
                advice: "it has \((HardwareDevice.typeNames + ["none"]).joined(separator: ", "))")
        }
        for candidate in named.map({ [$0] }) ?? [usual] + Self.decoders(of: codec) {
            let configuration = candidate.hardwareConfigurations.first { $0.device_type == type && $0.takesDevice }
            if let configuration { return Choice(decoder: candidate, configuration: configuration) }
        }
        let decoderName = named.map { "the decoder \(String(cString: $0.pointee.name))" } ?? "FFmpeg"
        throw MediaError(
            kind: .usage, file: file, operation: "decode",
            cause: "\(decoderName) can't decode \(codecName) by \(acceleration)",
            advice: "choose another --hwaccel, or leave it out")
    }

    private static func decoder(
        named name: String, for codec: AVCodecID, _ codecName: String, _ file: String
    ) throws(MediaError) -> UnsafePointer<AVCodec> {
        guard let decoder = avcodec_find_decoder_by_name(name) else {
            throw MediaError(
                kind: .usage, file: file, operation: "decode", cause: "there is no decoder '\(name)'",
                advice: "'ffmpeg -decoders' lists them")
        }
        guard decoder.pointee.id == codec else {
            throw MediaError(
                kind: .usage, file: file, operation: "decode",
                cause: "the decoder \(name) does not decode \(codecName), which the video is",
                advice: "choose another --decoder, or leave it out")
        }
        return decoder
    }

    /// Every decoder of `codec`.
    private static func decoders(of codec: AVCodecID) -> [UnsafePointer<AVCodec>] {
        var state: UnsafeMutableRawPointer?
        var decoders: [UnsafePointer<AVCodec>] = []
        while let candidate = av_codec_iterate(&state) {
            if candidate.pointee.id == codec, av_codec_is_decoder(candidate) != 0 { decoders.append(candidate) }
        }
        return decoders
    }
}

/// The device that a decoder works on.
///
/// The decoder's threads ask it for the pixel format, hence it is `Sendable`.
final class DecodingDevice: Sendable {
    let name: String
    /// The format of frames that lie in the device.
    let pixelFormat: AVPixelFormat
    private let refusal = Atomic(false)

    init(_ configuration: AVCodecHWConfig) {
        name = HardwareDevice.name(of: configuration.device_type)
        pixelFormat = configuration.pix_fmt
    }

    /// Whether the device can't decode this video; nothing else does it in its place.
    var isRefused: Bool { refusal.load(ordering: .relaxed) }

    /// Has `context`, which this must outlive, decode on `device`.
    func attach(to context: UnsafeMutablePointer<AVCodecContext>, _ device: HardwareDevice) throws(AVError) {
        context.pointee.hw_device_ctx = try AVError.allocated(av_buffer_ref(device.reference))
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.get_format = { context, formats in
            guard let opaque = context?.pointee.opaque, var format = formats else { return AV_PIX_FMT_NONE }
            let device = Unmanaged<DecodingDevice>.fromOpaque(opaque).takeUnretainedValue()
            while format.pointee != AV_PIX_FMT_NONE {
                if format.pointee == device.pixelFormat { return device.pixelFormat }
                format += 1
            }
            device.refusal.store(true, ordering: .relaxed)
            return AV_PIX_FMT_NONE
        }
    }
}
