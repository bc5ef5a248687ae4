import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Hardware that decodes and encodes: what is not there is told in one sentence, and nothing takes its place.
@Suite struct HardwareTests {
    private let scratch = TemporaryFolder()

    private func clip(_ name: String = "in.mp4") throws -> String {
        try scratch.make(name, "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 -preset ultrafast")
    }

    private func readingError(_ options: MediaReader.Options) throws -> MediaError {
        let path = try clip()
        return try mediaError { _ = try MediaReader(path: path, options: options) }
    }

    // MARK: Decoding

    @Test func accelerationThatDoesNotExist() throws {
        let error = try readingError(.init(hwaccel: "steam"))
        #expect(error.kind == .usage)
        #expect(HardwareDevice.typeNames.contains("vaapi"))
        #expect(
            error.description
                == "can't decode '\(scratch.path("in.mp4"))': this FFmpeg has no hardware acceleration 'steam'; it has "
                + (HardwareDevice.typeNames + ["none"]).joined(separator: ", "))
    }

    @Test func accelerationThatDoesNotDecodeTheCodec() throws {
        let path = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -c:v ffv1")
        let error = try mediaError { _ = try MediaReader(path: path, options: .init(hwaccel: "vaapi")) }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't decode '\(path)': FFmpeg can't decode ffv1 by vaapi; choose another --hwaccel, or leave it out"
        )
        let named = try readingError(.init(hwaccel: "cuda", decoder: "h264_qsv"))
        #expect(
            named.description
                == "can't decode '\(scratch.path("in.mp4"))': the decoder h264_qsv can't decode h264 by cuda; "
                + "choose another --hwaccel, or leave it out")
    }

    @Test func deviceThatIsNotThere() throws {
        let error = try readingError(.init(hwaccel: "vaapi", hwaccelDevice: "/nowhere"))
        #expect(error.kind == .unavailable)
        #expect(
            error.description
                == "can't decode '\(scratch.path("in.mp4"))': the vaapi device '/nowhere' can't be opened: "
                + "No VA display found for device /nowhere; "
                + "install its driver or name another --hwaccel-device, or leave --hwaccel out")
    }

    @Test(.enabled(if: access("/dev/nvidiactl", F_OK) != 0, "there is an NVIDIA device"))
    func driverThatIsNotThere() throws {
        let decoding = try readingError(.init(hwaccel: "cuda"))
        #expect(decoding.kind == .unavailable)
        #expect(
            decoding.description
                == "can't decode '\(scratch.path("in.mp4"))': a cuda device can't be opened: Cannot load libcuda.so.1; "
                + "install its driver or name another --hwaccel-device, or leave --hwaccel out")
        let decoder = try readingError(.init(decoder: "h264_cuvid"))
        #expect(decoder.kind == .unavailable)
        #expect(decoder.cause.hasPrefix("the decoder h264_cuvid can't be opened: "))
        let encoding = try writingError(EncoderSettings(codec: "h264_nvenc"))
        #expect(encoding.kind == .unavailable)
        #expect(
            encoding.description
                == "can't encode '\(scratch.path("out.mp4"))': the encoder h264_nvenc can't be opened for 96x64 yuv420p: "
                + "Cannot load libcuda.so.1; install its driver, or choose an encoder that runs on the CPU")
        let named = try writingError(EncoderSettings(codec: "hevc_nvenc", hwaccelDevice: "0"))
        #expect(named.cause == "the cuda device '0' can't be opened: Cannot load libcuda.so.1")
    }

    @Test(.enabled(if: access("/dev/dri", F_OK) != 0, "there is a graphics device"))
    func quickSyncThatIsNotThere() throws {
        let decoder = try readingError(.init(decoder: "h264_qsv"))
        #expect(decoder.kind == .unavailable)
        #expect(decoder.cause.hasPrefix("the decoder h264_qsv fails: "))
        let encoder = try writingError(EncoderSettings(codec: "h264_qsv"))
        #expect(encoder.kind == .unavailable)
        #expect(encoder.cause.hasPrefix("the encoder h264_qsv can't be opened for 96x64 nv12: "))
    }

    @Test func decoders() throws {
        let path = try clip()
        let none = try mediaError { _ = try MediaReader(path: path, options: .init(decoder: "steam")) }
        #expect(none.kind == .usage)
        #expect(
            none.description == "can't decode '\(path)': there is no decoder 'steam'; 'ffmpeg -decoders' lists them")
        let other = try mediaError { _ = try MediaReader(path: path, options: .init(decoder: "hevc")) }
        #expect(other.kind == .usage)
        #expect(
            other.description
                == "can't decode '\(path)': the decoder hevc does not decode h264, which the video is; "
                + "choose another --decoder, or leave it out")
        let named = try frames(MediaReader(path: path, options: .init(hwaccel: "none", decoder: "h264")))
        #expect(named.count == 10)
    }

    /// The decoder that has the acceleration is taken, as by FFmpeg's own program.
    @Test func accelerationChoosesItsDecoder() throws {
        func decoder(_ acceleration: String) throws -> String {
            let decoding = HardwareDecoding(.init(hwaccel: acceleration))
            return String(
                cString: try decoding.choice(for: AV_CODEC_ID_H264, named: "h264", file: "").decoder.pointee.name)
        }
        #expect(try decoder("vaapi") == "h264")
        #expect(try decoder("cuda") == "h264")
        #expect(try decoder("qsv") == "h264_qsv")
        #expect(try decoder("none") == "h264")
    }

    // MARK: Encoding

    private func writingError(_ settings: EncoderSettings) throws -> MediaError {
        let path = try clip()
        let error = try mediaError { try transcode(path, to: scratch.path("out.mp4"), settings: settings) }
        #expect(scratch.contents == ["in.mp4"])
        return error
    }

    @Test func encoderWithoutItsDevice() throws {
        let error = try writingError(EncoderSettings(codec: "h264_vaapi", hwaccelDevice: "/nowhere"))
        #expect(error.kind == .unavailable)
        #expect(
            error.description
                == "can't encode '\(scratch.path("out.mp4"))': the vaapi device '/nowhere' can't be opened: "
                + "No VA display found for device /nowhere; "
                + "install its driver or name another --hwaccel-device, or choose an encoder that runs on the CPU")
    }

    @Test(arguments: [("h264_vaapi", "global_quality=20"), ("hevc_nvenc", "cq=22"), ("h264_qsv", "global_quality=20")])
    func crfThatTheEncoderHasNot(encoder: String, quality: String) throws {
        let error = try writingError(EncoderSettings(codec: encoder, crf: 20))
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't encode '\(scratch.path("out.mp4"))': the encoder \(encoder) has no option 'crf'; "
                + "its constant quality is --encoder-option \(quality)")
    }

    /// Frames that are brought to a device are 4:2:0 in two planes, with 10 bits where the codec takes them.
    @Test(arguments: [
        ("h264_vaapi", ["nv12"]), ("hevc_vaapi", ["nv12", "p010le"]), ("vp9_vaapi", ["nv12", "p010le"]),
        ("mjpeg_vaapi", ["nv12"]), ("h264_qsv", ["nv12"]),
    ])
    func formatsInMemory(encoder: String, expected: [String]) throws {
        let codec = try #require(avcodec_find_encoder_by_name(encoder))
        let formats = HardwareEncoding.memoryFormats(of: codec, PixelFormatChoice.taken(by: codec)).map(\.name)
        #expect(Set(formats) == Set(expected))
    }

    @Test func noEncoderIsGivenADevicesFormat() throws {
        let error = try writingError(EncoderSettings(codec: "h264_nvenc", pixelFormat: "cuda"))
        #expect(error.kind == .usage)
        #expect(error.cause == "the encoder h264_nvenc does not take the pixel format 'cuda'")
    }

    @Test(arguments: [
        ("h264_nvenc", "", "20"), ("h264_nvenc", "cq", "31"), ("hevc_nvenc", "", "22"), ("av1_nvenc", "", "28"),
    ])
    func qualityOfNVENCIsConstant(name: String, key: String, value: String) throws {
        guard let codec = avcodec_find_encoder_by_name(name) else {
            #expect(name == "av1_nvenc", "FFmpeg 5 has no other")
            return
        }
        let options = key.isEmpty ? [] : [(key, value)]
        let encoder = try Encoder(codec, settings: EncoderSettings(options: options), file: "")
        func option(_ key: String) -> String {
            var text: UnsafeMutablePointer<UInt8>?
            av_opt_get(encoder.context, key, AV_OPT_SEARCH_CHILDREN, &text)
            defer { av_free(text) }
            return text.map { String(cString: $0) } ?? ""
        }
        #expect(Double(option("cq")) == Double(value))
        #expect(option("b") == "0" && option("rc") == "1")
        let rated = try Encoder(codec, settings: EncoderSettings(bitrate: 5_000_000), file: "")
        #expect(rated.context.pointee.bit_rate == 5_000_000)
    }

    // MARK: Frames in a device

    /// The one type of device that may be there without hardware, where Mesa's lavapipe is installed.
    private static var vulkan: HardwareDevice? {
        try? HardwareDevice(AV_HWDEVICE_TYPE_VULKAN, device: nil, file: "", operation: "decode", advice: "")
    }

    @Test(.enabled(if: Self.vulkan != nil, "there is no Vulkan device"), arguments: ["nv12", "p010le", "yuv420p"])
    func frameComesBackFromADevice(format name: String) throws {
        let format = av_get_pix_fmt(name)
        let device = try #require(Self.vulkan)
        let frames = try DeviceFrames(
            device, pixelFormat: AV_PIX_FMT_VULKAN, memoryFormat: format, width: 98, height: 66)
        let frame = try FrameReference()
        (frame.pointer.pointee.format, frame.pointer.pointee.width, frame.pointer.pointee.height) = (
            format.rawValue, 98, 66
        )
        #expect(av_frame_get_buffer(frame.pointer, 0) == 0)
        for plane in 0..<3 where frame.data(plane) != nil {
            let bytes = frame.bytesPerRow(plane) * (plane == 0 ? 66 : 33)
            for index in 0..<bytes { frame.data(plane)![index] = UInt8(truncatingIfNeeded: index &* 13 &+ plane) }
        }
        frame.pointer.pointee.pts = 77
        frame.pointer.pointee.color_range = AVCOL_RANGE_JPEG
        frame.pointer.pointee.colorspace = AVCOL_SPC_BT709
        frame.pointer.pointee.crop_left = 2
        let uploaded = try frames.upload(frame)
        #expect(uploaded.pixelFormat == AV_PIX_FMT_VULKAN && uploaded.pointer.pointee.pts == 77)
        let back = try uploaded.inMemory()
        #expect(back.pointer.pointee.hw_frames_ctx == nil && back.pixelFormat == format)
        #expect(back.pointer.pointee.pts == 77)
        #expect(back.pointer.pointee.color_range == AVCOL_RANGE_JPEG)
        #expect(back.pointer.pointee.colorspace == AVCOL_SPC_BT709)
        #expect(back.pointer.pointee.width == 96 && back.pointer.pointee.height == 66)
        let component = name == "p010le" ? 2 : 1
        for plane in 0..<3 where frame.data(plane) != nil {
            let isPlanar = name == "yuv420p"
            let left = (plane == 0 ? 2 : isPlanar ? 1 : 2) * component
            let width = (plane == 0 ? 96 : isPlanar ? 48 : 96) * component
            let isSame = (0..<(plane == 0 ? 66 : 33)).allSatisfy { y in
                let first = frame.data(plane)! + y * frame.bytesPerRow(plane) + left
                return memcmp(first, back.data(plane)! + y * back.bytesPerRow(plane), width) == 0
            }
            #expect(isSame, "plane \(plane)")
        }
        #expect(try frame.inMemory() === frame)
    }
}
