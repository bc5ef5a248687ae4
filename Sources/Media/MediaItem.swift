import Imaging

/// What comes out of a reader and goes into a writer, in the container's order.
public enum MediaItem: Sendable {
    /// A decoded picture of the video stream.
    case frame(VideoFrame)
    /// A packet of any other stream.
    case packet(Packet)
}
