/// How sure it is that a mask shows people who were not known: by a detector, and by how far masks agree about them.
///
/// What a detector takes for people by mistake is seldom the same to each segmentation network, or to a network, the detector
/// too, in the picture and in its mirror image; people are.
struct PersonCertainty {
    /// From which confidence on how much agreement is enough; from more confidence on than in the first, any is.
    private static let steps: [(confidence: Double, agreement: Double)] = [(0.6, 0.7), (0.4, 0.85), (0.28, 0.9)]
    /// The confidence at which agreement matters: less is never enough, more always.
    static let doubtful = 0.28..<0.75
    /// The agreement from which on nothing else is asked; with less the detector must not be sure of nobody in the mirror.
    static let clear = 0.95

    /// How sure the detector is, 0…1.
    let confidence: Double
    /// The mean agreement of masks, 0…1, as intersection over union; it is asked for where the confidence is doubtful.
    let agreement: Double

    /// Beyond any doubt.
    static let full = PersonCertainty(confidence: 1, agreement: 1)

    var isEnough: Bool {
        guard Self.doubtful.contains(confidence) else { return confidence >= Self.doubtful.upperBound }
        return Self.steps.contains { confidence >= $0.confidence && agreement >= $0.agreement }
    }
}
