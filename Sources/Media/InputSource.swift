import CFFmpeg

/// Where what is read comes from.
enum InputSource {
    /// A file or a stream of bytes, which a demuxer takes apart.
    case bytes(DescriptorIO)
    /// A camera, which gives whole pictures.
    case camera(CaptureDevice)

    /// Whether any position can be gone to.
    var isSeekable: Bool {
        switch self {
        case .bytes(let io): io.isSeekable
        case .camera: false
        }
    }

    /// Where the next byte is read; a camera has no such place.
    var position: Int64 {
        switch self {
        case .bytes(let io): io.position
        case .camera: 0
        }
    }

    /// Whether the input was ended by `interrupt`.
    var isInterrupted: Bool {
        switch self {
        case .bytes(let io): io.isInterrupted
        case .camera: false
        }
    }

    /// Ends the wait for what doesn't come: the input ends here.
    func interrupt() {
        switch self {
        case .bytes(let io): io.interrupt()
        case .camera(let camera): camera.interrupt()
        }
    }
}
