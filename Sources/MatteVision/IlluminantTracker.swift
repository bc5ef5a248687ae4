import Imaging

/// Follows the light through the frames of a sequence. For one thread at a time.
struct IlluminantTracker {
    /// How much a frame counts beside those before it: the light may change, but a mask may not flicker for what moves before it.
    private static let share: Float = 0.2

    private let estimator = IlluminantEstimator()
    private var illuminant: Illuminant?

    /// Forgets the sequence.
    mutating func reset() { illuminant = nil }

    /// `frame`, the next one of the sequence, as networks are to see it: in white light, and enough of it.
    mutating func balanced(_ frame: VideoFrame) -> VideoFrame {
        if let seen = estimator.illuminant(of: frame) {
            illuminant = illuminant?.mixed(with: seen, share: Self.share) ?? seen
        }
        var frame = frame
        frame.illuminant = illuminant ?? .white
        return frame
    }
}
