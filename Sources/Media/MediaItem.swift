import Imaging

/// What comes out of a reader and goes into a writer, in the container's order.
public enum MediaItem: Sendable {
    /// A decoded picture of the video stream.
    case frame(VideoFrame)
    /// A picture of the run-in: it lies before the start, at a time below 0, for what remembers pictures to settle; it is not
    /// written.
    case runIn(VideoFrame)
    /// A packet of any other stream.
    case packet(Packet)
}
