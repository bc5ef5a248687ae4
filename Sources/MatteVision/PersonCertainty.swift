import Glibc

/// How sure it is that a mask shows people: by a detector that looks for them, and in doubt by a verifier, which looks at what the
/// mask shows.
///
/// What either takes for people by mistake the other seldom does, so that their logarithmic odds add up, as those of independent
/// witnesses do.
struct PersonCertainty {
    /// The confidence from which on the detector is enough.
    static let sure = 0.75
    /// The odds from which on it is people where that is in doubt.
    private static let enough = 1.25
    /// The confidence and the odds below which people who are known are missed: less, since people turn away and bend down.
    private static let missed = (confidence: 0.2, logOdds: -1.0)
    /// Beyond this a detector's confidence tells no more: it does not see who is so close that little but a face fills the frame.
    private static let range = 0.06...0.98

    /// How sure the detector is, 0…1.
    let confidence: Double
    /// The verifier's logarithmic odds; 0 where it was not asked.
    var verification = 0.0

    /// Beyond any doubt.
    static let full = PersonCertainty(confidence: 1)

    private var logOdds: Double {
        let confidence = min(max(confidence, Self.range.lowerBound), Self.range.upperBound)
        return verification + log(confidence / (1 - confidence))
    }

    /// Whether the verifier has a say.
    var isInDoubt: Bool { confidence < Self.sure }

    /// Whether it is people, be they known or not.
    var isEnough: Bool { !isInDoubt || logOdds >= Self.enough }

    /// Whether it is rather people than not.
    var isLikely: Bool { logOdds >= 0 }

    /// Whether people who are known may be gone.
    var isMissing: Bool { confidence < Self.missed.confidence && logOdds < Self.missed.logOdds }
}
