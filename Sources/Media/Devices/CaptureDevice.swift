import CFFmpeg
import Glibc

/// A camera that pictures are read from: libavdevice's v4l2 input, and the wait for its next picture.
///
/// `interrupt` may be called from any thread, all else from one at a time, hence `@unchecked Sendable`.
final class CaptureDevice: @unchecked Sendable {
    let context: UnsafeMutablePointer<AVFormatContext>
    private let descriptor: CInt
    private let wakeUp: WakeUp
    private let errors: DeviceErrors
    private var isOpen = true

    /// Milliseconds that a camera may give nothing before it counts as gone; it has to have time to start.
    static let patience: CInt = 3000

    /// Opens `device` in the mode that `wish` finds.
    ///
    /// - Throws: `.noInput` for a device that is gone, busy, forbidden or no camera, `.usage` for a mode that it hasn't.
    init(_ device: VideoDevice, wish: CameraWish) throws(MediaError) {
        LibraryLog.install()
        avdevice_register_all()
        errors = DeviceErrors(path: device.path, role: .camera)
        if let number = device.errorNumber { throw errors.failure(.system(number)) }
        guard device.isCamera else { throw device.isVirtualCamera ? errors.unfed : errors.notCamera }
        let modes = device.modes
        let choice = wish.choice(among: modes)
        if choice == nil, !modes.isEmpty { throw errors.noMode(wish.description, modes: modes) }
        do {
            wakeUp = try WakeUp()
            context = try AVError.allocated(avformat_alloc_context())
        } catch {
            throw errors.failure(error)
        }
        let address = UInt(bitPattern: context)
        LibraryLog.forget(address)
        // Reading returns at once, so that waiting is done here, where it can be called off.
        context.pointee.flags |= AVFMT_FLAG_NONBLOCK
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        for (key, value) in choice.map(Self.options) ?? [] { av_dict_set(&options, key, value, 0) }
        var opened: UnsafeMutablePointer<AVFormatContext>? = context
        let rc = avformat_open_input(&opened, device.path, av_find_input_format("v4l2"), &options)
        guard rc >= 0 else { throw errors.failure(AVError(code: rc), detail: LibraryLog.lastError(from: address)) }
        guard let descriptor = Self.descriptor(of: device.path) else {
            avformat_close_input(&opened)
            throw errors.failure(.system(ENODEV))
        }
        self.descriptor = descriptor
    }

    deinit { close() }

    /// Lets the camera go; nothing may be asked of `context` any more.
    func close() {
        guard isOpen else { return }
        isOpen = false
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
    }

    private static func options(_ choice: CameraWish.Choice) -> [(String, String)] {
        let mode = [("input_format", choice.format), ("video_size", "\(choice.width)x\(choice.height)")]
        return mode + (choice.rate.map { [("framerate", "\($0)")] } ?? [])
    }

    /// The descriptor that libavdevice has opened, which it keeps to itself: the one in this process that leads to the device.
    private static func descriptor(of path: String) -> CInt? {
        guard let device = LocalFile(path: path) else { return nil }
        return LocalFile.names(inFolder: "/proc/self/fd").compactMap { CInt($0) }.last {
            LocalFile(descriptor: $0)?.isSame(as: device) ?? false
        }
    }

    /// Reads the next picture as the camera gives it; false once it is interrupted.
    ///
    /// - Throws: an error that `AVError.isInputOutput` counts in, where the camera is gone or gives nothing any more.
    func read(into packet: UnsafeMutablePointer<AVPacket>) throws(AVError) -> Bool {
        let deadline = ContinuousClock.now + .milliseconds(Self.patience)
        while isOpen {
            switch wakeUp.wait(for: descriptor, milliseconds: Self.patience) {
            case .interrupted: return false
            case .timedOut: throw .system(ETIMEDOUT)
            case .ready: break
            }
            av_packet_unref(packet)
            let rc = av_read_frame(context, packet)
            guard rc >= 0 || rc == FFErrorAgain else {
                let error = AVError(code: rc)
                throw error.isInputOutput ? error : .system(EIO)
            }
            // A picture that the driver calls damaged comes without bytes.
            if rc >= 0, packet.pointee.size > 0 {
                if isCompressed { try own(packet) }
                return true
            }
            guard ContinuousClock.now < deadline else { throw .system(ETIMEDOUT) }
        }
        return false
    }

    private var isCompressed: Bool {
        context.pointee.streams[0]!.pointee.codecpar.pointee.codec_id != AV_CODEC_ID_RAWVIDEO
    }

    /// Copies what the driver lends: decoders keep it for a while, which may be longer than the camera is there.
    private func own(_ packet: UnsafeMutablePointer<AVPacket>) throws(AVError) {
        let copy = try Packet()
        try AVError.check(av_new_packet(copy.pointer, packet.pointee.size))
        copy.pointer.pointee.data.update(from: packet.pointee.data, count: Int(packet.pointee.size))
        try AVError.check(av_packet_copy_props(copy.pointer, packet))
        av_packet_unref(packet)
        av_packet_move_ref(packet, copy.pointer)
    }

    /// Ends the wait for a picture, from whatever thread.
    func interrupt() { wakeUp.interrupt() }

    /// What became of the camera.
    func failure(_ error: AVError) -> MediaError { errors.failure(error) }
}
