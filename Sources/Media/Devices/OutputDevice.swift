import CFFmpeg
import Glibc
import Imaging

/// Shows frames as they come: as the pictures of a virtual camera, or in a window.
///
/// Through libavdevice's v4l2 and SDL outputs. The first frame settles size and format, which stay for good, because programs that
/// watch take no change; later frames are brought to them. Each frame is handed over before `write` returns. For one thread
/// at a time.
public final class OutputDevice {
    /// The device, or the window's title.
    public let path: String
    private let muxer: String
    private let options: [(key: String, value: String)]
    private let pixelFormat: AVPixelFormat
    private let onFailure: (AVError) -> MediaError
    private var stream: RawStream?

    /// How many pictures a virtual camera keeps at most (v4l2loopback's `MAX_BUFFERS`).
    package static let keptPictureCount = 32

    /// What programs that use cameras know of those that v4l2 outputs.
    private static let pixelFormats = ["yuyv422", "uyvy422", "yuv420p", "nv12", "rgb24"]

    /// What a consumer takes for granted of a camera's YUV, whatever its size.
    private static let color = ColorDescription(matrix: .smpte170m, range: .limited)

    /// The virtual camera that `name` means (its path, a link to it, a part of its name); nil where it means a file.
    ///
    /// `pixelFormat` is FFmpeg's name of what consumers get; YUYV is what all of them take.
    /// - Throws: `.cannotCreate` for a device that isn't there, is no virtual camera, is written to by another program or is
    ///   forbidden, `.usage` for a pixel format that Video4Linux2 has not.
    public static func virtualCamera(
        _ name: String, pixelFormat: String? = nil
    ) throws(MediaError) -> OutputDevice? {
        // What ends like a container is a file that is to be made.
        let isFile = LocalFile(path: name) == nil && av_guess_format(nil, name, nil) != nil
        guard !isFile, let device = try VideoDevice.find(name, as: .virtualCamera) else { return nil }
        let errors = DeviceErrors(path: name, role: .virtualCamera)
        if let number = device.errorNumber { throw errors.failure(.system(number)) }
        guard device.isVirtualCamera else { throw errors.notVirtualCamera }
        let writers = device.writers
        guard writers.isEmpty else { throw errors.busy(writers) }
        let format = pixelFormat ?? "yuyv422"
        guard pixelFormats.contains(format) else {
            throw MediaError(
                kind: .usage, file: name, operation: "write to", cause: "a virtual camera can't give '\(format)'",
                advice: "choose \(pixelFormats.joined(separator: ", "))")
        }
        return OutputDevice(
            path: device.path, muxer: "v4l2", options: [], pixelFormat: av_get_pix_fmt(format),
            onFailure: { errors.failure($0) })
    }

    /// A window with `title` on the desktop of `DISPLAY` or `WAYLAND_DISPLAY`.
    ///
    /// To be called before other threads run: SDL learns by the environment that it is to fail where there is no desktop.
    /// - Throws: `.usage` where this FFmpeg has no SDL output.
    public static func window(title: String) throws(MediaError) -> OutputDevice {
        avdevice_register_all()
        guard av_guess_format("sdl", nil, nil) != nil else {
            throw MediaError(
                kind: .usage, file: title, operation: "show", cause: "this build of FFmpeg has no SDL output",
                advice: "pipe the video into ffplay instead")
        }
        // SDL would draw where nobody sees it, rather than fail.
        setenv("SDL_VIDEODRIVER", "x11,wayland", 0)
        return OutputDevice(
            path: title, muxer: "sdl", options: [("window_title", title)], pixelFormat: AV_PIX_FMT_YUV420P,
            onFailure: { error in
                MediaError(
                    kind: .io, file: title, operation: "show",
                    cause: "there is no window (\(error.description.lowercased()))",
                    advice: "a window needs a desktop, which DISPLAY or WAYLAND_DISPLAY names")
            })
    }

    private init(
        path: String, muxer: String, options: [(key: String, value: String)], pixelFormat: AVPixelFormat,
        onFailure: @escaping (AVError) -> MediaError
    ) {
        avdevice_register_all()
        self.path = path
        self.muxer = muxer
        self.options = options
        self.pixelFormat = pixelFormat
        self.onFailure = onFailure
    }

    /// Shows `frame`.
    ///
    /// - Throws: `.cannotCreate` where the device does not take the first frame, `.io` where it is gone, or its window closed.
    public func write(_ frame: VideoFrame) throws(MediaError) {
        do {
            if stream == nil { stream = try open(frame) }
            try stream?.write(frame)
        } catch {
            let failure = onFailure(error)
            guard stream != nil else { throw failure }
            throw MediaError(
                kind: .io, file: failure.file, operation: failure.operation, cause: failure.cause,
                advice: failure.advice)
        }
    }

    private func open(_ frame: VideoFrame) throws(AVError) -> RawStream {
        let size = frame.uprightSize
        var format = EncoderFormat(
            pixelFormat: pixelFormat, width: max(2, size.width & ~1), height: max(2, size.height & ~1),
            color: Self.color)
        format.color.chromaLocation = FrameExporter.chromaLocation(of: frame, turnedBy: frame.orientation)
        if isVirtualCamera { hold(&format) }
        return try RawStream(
            path: path, muxer: muxer, options: options,
            exporter: FrameExporter(format: format, rotation: frame.orientation))
    }

    /// Takes what the device will have: a consumer that is there already has settled it.
    private func hold(_ format: inout EncoderFormat) {
        V4L2Descriptor.releaseOutput(of: path)
        let name = format.pixelFormat.name
        guard let device = V4L2Descriptor(path: path),
            let settled = device.settledOutput(format: name, width: format.width, height: format.height)
        else { return }
        format.pixelFormat = av_get_pix_fmt(settled.format)
        (format.width, format.height) = (settled.width, settled.height)
    }

    private var isVirtualCamera: Bool { muxer == "v4l2" }

    deinit { close() }

    /// Lets the device go at once, for other programs to write to; nothing may be written afterwards.
    public func close() {
        guard stream != nil else { return }
        stream = nil
        if isVirtualCamera { V4L2Descriptor.releaseOutput(of: path) }
    }

    /// A muxer of libavdevice's that takes uncompressed pictures.
    private final class RawStream {
        private let context: UnsafeMutablePointer<AVFormatContext>
        private let exporter: FrameExporter
        private var isOpen = false
        /// The one picture that is on its way; the devices have copied it when writing returns.
        private let packet: Packet
        private let planes: PlanePointers
        /// Neither device looks at the time, but libavformat wants one.
        private var count: Int64 = 0

        init(
            path: String, muxer: String, options: [(key: String, value: String)], exporter: FrameExporter
        ) throws(AVError) {
            let format = exporter.format
            self.exporter = exporter
            packet = try Packet()
            let (width, height) = (CInt(format.width), CInt(format.height))
            let size = try AVError.check(av_image_get_buffer_size(format.pixelFormat, width, height, 1))
            try AVError.check(av_new_packet(packet.pointer, size))
            planes = try PlanePointers(packet.pointer.pointee.data, format.pixelFormat, width: width, height: height)
            var made: UnsafeMutablePointer<AVFormatContext>?
            try AVError.check(avformat_alloc_output_context2(&made, nil, muxer, path))
            context = try AVError.allocated(made)
            let stream = try AVError.allocated(avformat_new_stream(context, nil))
            let parameters = stream.pointee.codecpar!
            parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
            parameters.pointee.codec_id = AV_CODEC_ID_RAWVIDEO
            parameters.pointee.format = format.pixelFormat.rawValue
            parameters.pointee.width = CInt(format.width)
            parameters.pointee.height = CInt(format.height)
            parameters.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
            stream.pointee.time_base = AVRational(num: 1, den: 1_000_000)
            var dictionary: OpaquePointer?
            defer { av_dict_free(&dictionary) }
            for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
            try AVError.check(avformat_write_header(context, &dictionary))
            isOpen = true
        }

        deinit {
            if isOpen { av_write_trailer(context) }
            avformat_free_context(context)
        }

        func write(_ frame: VideoFrame) throws(AVError) {
            try exporter.export(frame, to: planes)
            packet.pointer.pointee.pts = count
            packet.pointer.pointee.dts = count
            count += 1
            try AVError.check(av_write_frame(context, packet.pointer))
        }
    }
}
