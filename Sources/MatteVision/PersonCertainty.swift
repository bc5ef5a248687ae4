/// How sure it is that a mask shows people who were not known: by a detector, and in doubt by what masks agree on.
///
/// What a detector takes for people by mistake is seldom the same to each segmentation network, or to a network, the detector
/// too, in the picture and in its mirror image; people are.
struct PersonCertainty {
    /// The confidence at which agreement matters: less is never enough, more always.
    static let doubtful = 0.28..<0.75
    /// From which confidence on masks that agree on the whole are enough, and weak ones, too.
    static let likely = 0.65
    /// How far masks must agree then, on the mean of both kinds.
    private static let agreementIfLikely = 0.7
    /// How far the networks must agree below that, and how far one with itself in the mirror.
    private static let (agreementIfDoubtful, mirrorAgreementIfDoubtful) = (0.78, 0.9)
    /// How far a network must agree with itself for the detector not to be asked in the mirror.
    private static let clear = 0.98

    /// How sure the detector is, 0…1.
    let confidence: Double
    /// How far the networks agree, 0…1, as intersection over union; asked for where the confidence is doubtful.
    var agreement = 1.0
    /// How far the first network agrees with what it sees in the mirror.
    var mirrorAgreement = 1.0
    /// How sure the detector is in the mirror; asked for where that matters.
    var mirrorConfidence = 1.0
    /// Whether the mask is soft at its edges only.
    var isDecided = true

    /// Beyond any doubt.
    static let full = PersonCertainty(confidence: 1)

    /// Whether it is up to the detector's look in the mirror whether it is enough.
    var dependsOnMirror: Bool {
        Self.doubtful.contains(confidence) && confidence < Self.likely && mirrorAgreement < Self.clear && isEnough
    }

    var isEnough: Bool {
        guard Self.doubtful.contains(confidence) else { return confidence >= Self.doubtful.upperBound }
        guard confidence < Self.likely else { return (agreement + mirrorAgreement) / 2 >= Self.agreementIfLikely }
        return isDecided && agreement >= Self.agreementIfDoubtful && mirrorAgreement >= Self.mirrorAgreementIfDoubtful
            && (mirrorAgreement >= Self.clear || mirrorConfidence >= PersonPresence.sure)
    }
}
