/// Tells when a sequence goes on with another scene.
///
/// A cut changes most of the picture at once: the mean difference of two frames is large, and larger by far than between the
/// frames before it, so that a shaking camera or a waving arm is none.
struct SceneCutDetector {
    /// Mean difference (0…1) below which two frames belong to one scene.
    private static let floor: Float = 0.08
    /// How many times the usual difference a cut makes.
    private static let ratio: Float = 3

    private var past: [Float] = []
    private var usual: Float = 0

    /// Whether `picture` (components in 0…1) begins another scene than the one before it, which had the same size.
    mutating func isCut(_ picture: [Float]) -> Bool {
        defer { past = picture }
        guard past.count == picture.count else {
            usual = 0
            return false
        }
        var sum: Float = 0
        for i in picture.indices { sum += abs(picture[i] - past[i]) }
        let difference = sum / Float(picture.count)
        let isCut = difference > Self.floor && difference > Self.ratio * usual
        usual = isCut ? 0 : usual + (difference - usual) * 0.2
        return isCut
    }

    /// Forgets the past.
    mutating func reset() {
        past = []
        usual = 0
    }
}
