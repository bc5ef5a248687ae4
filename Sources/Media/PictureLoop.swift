/// The pictures of a file over and over, found by time.
///
/// The loop lasts from the first picture's beginning to the end of the last one's own duration. Two pictures are held at a
/// time, whatever the length. Used by one thread at a time.
final class PictureLoop {
    /// By how many seconds the time may jump ahead without being sought.
    private static let walkingDistance = 5.0
    /// Seconds: containers round their times to milliseconds, which must not hold a picture back by one of the caller's.
    private static let tolerance = 0.001

    private let path: String
    private let threads: Int
    private let limits: InputLimits
    /// nil where nothing more comes of it.
    private var sequence: PictureSequence?
    private var current: TimedPicture
    private var following: TimedPicture?
    /// In units of the sequence's time base; nil until the end has been seen.
    private var length: Int64?

    /// Whether something of it could not be decoded so far.
    private(set) var isDamaged = false
    /// Whether there is one picture only.
    var isStill: Bool { sequence == nil }

    /// Opens the file and decodes its first two pictures.
    init(path: String, threads: Int, limits: InputLimits) throws(MediaError) {
        let sequence = try PictureSequence(path: path, threads: threads, limits: limits)
        (self.path, self.threads, self.limits) = (path, threads, limits)
        current = try Self.first(of: sequence)
        following = sequence.isOnePicture ? nil : try sequence.next()
        isDamaged = sequence.isDamaged
        guard following != nil else { return }
        guard sequence.isSeekable else {
            throw MediaError(
                kind: .usage, file: path, operation: "read", cause: "a stream can't be read again from its beginning",
                advice: "name a file")
        }
        self.sequence = sequence
    }

    private static func first(of sequence: PictureSequence) throws(MediaError) -> TimedPicture {
        guard let picture = try sequence.next() else {
            throw sequence.sizeFailure
                ?? MediaError(
                    kind: .badData, file: sequence.path, operation: "read", cause: "not one picture could be decoded",
                    advice: sequence.adviceWhereNothingIsDecoded)
        }
        return picture
    }

    /// The picture that is shown at `time` seconds after the beginning; what lies before it, and what is no time, counts as it.
    func picture(at time: Double) throws(MediaError) -> TimedPicture {
        guard let sequence else { return current }
        let wasMeasured = length != nil
        let seconds = (time.isFinite ? max(0, time) : 0) + Self.tolerance
        let whole = length.map { Double($0) * sequence.unit }
        let place = (whole.map { seconds.truncatingRemainder(dividingBy: $0) } ?? seconds) / sequence.unit
        let target = Int64(min(place, Double(TimeBounds.largest)))
        let distance = Double(target - current.start) * sequence.unit
        if distance < 0 || (distance > Self.walkingDistance && sequence.hasIndex) { try jump(to: target) }
        while let following, following.start <= target { try step(to: following) }
        if !wasMeasured, let length, target >= length { return try picture(at: time) }
        return current
    }

    private func step(to picture: TimedPicture) throws(MediaError) {
        current = picture
        following = try sequence?.next()
        isDamaged = isDamaged || sequence?.isDamaged ?? false
        if following == nil { length = max(1, current.end) }
    }

    /// Goes to a picture at or before `target`: by seeking, or else from the beginning.
    private func jump(to target: Int64) throws(MediaError) {
        if let picture = try sequence?.seek(to: target) { return try step(to: picture) }
        let again = try PictureSequence(path: path, threads: threads, limits: limits)
        sequence = again
        try step(to: Self.first(of: again))
    }
}
