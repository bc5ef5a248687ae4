/// A part of what the speed benchmark measures.
public enum Part: String, CaseIterable, Codable, Sendable {
    /// Single kernels of the frame path.
    case kernels
    /// A frame's way through decoding, mask, faces, compositing and encoding, each by itself.
    case stages
    /// The whole program beside plain `ffmpeg`.
    case program
    /// The same job done by a Python program with MediaPipe.
    case peer
    /// Raw frames in and out through pipes.
    case pipes
    /// How old a live frame is when it comes out.
    case latency
    /// The most memory in use, for a clip and for ten times its length.
    case memory
    /// What is allocated per frame.
    case allocations
}
