import CFFmpeg

/// Where what is read comes from.
enum InputSource {
    /// A file or a stream of bytes, which a demuxer takes apart.
    case bytes(DescriptorIO)
    /// What one of FFmpeg's protocols brings.
    case remote(RemoteInput, isSeekable: Bool)
    /// A camera, which gives whole pictures.
    case camera(CaptureDevice)

    /// Whether any position can be gone to.
    var isSeekable: Bool {
        switch self {
        case .bytes(let io): io.isSeekable
        case .remote(_, let isSeekable): isSeekable
        case .camera: false
        }
    }

    /// Where the next byte is read, where bytes are read one after the other.
    var position: Int64 {
        switch self {
        case .bytes(let io): io.position
        case .remote, .camera: 0
        }
    }

    /// Whether the input was ended by `interrupt`.
    var isInterrupted: Bool {
        switch self {
        case .bytes(let io): io.isInterrupted
        case .remote(let input, _): input.isInterrupted
        case .camera: false
        }
    }

    /// Whether bytes that are there could not be read.
    var hasFailed: Bool {
        if case .bytes(let io) = self { io.failure != nil } else { false }
    }

    /// Ends the wait for what doesn't come: the input ends here.
    func interrupt() {
        switch self {
        case .bytes(let io): io.interrupt()
        case .remote(let input, _): input.interrupt()
        case .camera(let camera): camera.interrupt()
        }
    }
}
