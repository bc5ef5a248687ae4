import Glibc

/// How sure it is that a mask shows people: by a person detector that looks for them, and in doubt by a verifier, which looks at what
/// the mask shows, and an object detector.
///
/// What one of these two takes for people by mistake the other seldom does, so that their logarithmic odds add up, as those of
/// independent witnesses do. What the person detector thinks of people whom it is not sure of tells little beside them; it counts
/// where there is no object detector.
struct PersonCertainty {
    /// The confidence from which on the person detector is enough.
    static let sure = 0.75
    /// The logarithmic odds from which on it may well be people.
    private static let likely = -1.25
    /// The confidence and the logarithmic odds below which people who are known are missed: less, since people turn away and bend down.
    private static let missed = (confidence: 0.2, logOdds: -2.25)
    /// By how much less a person detector that is not sure is to be believed: much looks like a body.
    private static let excess = 1.25
    /// The logarithmic odds that a mask shows people where nothing else is known: segmentation networks mostly know them.
    private static let prior = 1.5
    /// Beyond this a detector's confidence tells no more: it does not see who is so close that little but a face fills the frame.
    private static let range = 0.06...0.98

    /// How sure the person detector is, 0…1.
    let confidence: Double
    /// The verifier's logarithmic odds; 0 where it was not asked.
    var verification = 0.0
    /// How sure the object detector is, 0.01…0.99; nil where it was not asked.
    var objectConfidence: Double?

    /// Beyond any doubt.
    static let full = PersonCertainty(confidence: 1)

    // 0 leaves it open whether it is people.
    private var logOdds: Double {
        func logit(_ probability: Double) -> Double { log(probability / (1 - probability)) }
        if let objectConfidence { return Self.prior + verification + logit(objectConfidence) }
        return verification + logit(min(max(confidence, Self.range.lowerBound), Self.range.upperBound)) - Self.excess
    }

    /// Whether the others have a say.
    var isInDoubt: Bool { confidence < Self.sure }

    /// Whether it is people, be they known or not.
    var isEnough: Bool { !isInDoubt || logOdds >= 0 }

    /// Whether it may well be people.
    var isLikely: Bool { logOdds >= Self.likely }

    /// Whether people who are known may be gone.
    var isMissing: Bool { confidence < Self.missed.confidence && logOdds < Self.missed.logOdds }
}
