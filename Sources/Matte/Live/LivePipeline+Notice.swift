import MatteVision

extension LivePipeline {
    /// What happens on the way that a person may want to know.
    public enum Notice: Sendable, Hashable {
        /// The camera is gone and is being looked for; told once, whatever comes of looking.
        case lost(MatteError)
        /// A stream has given no picture for this many seconds; told once.
        case silent(Double)
        /// The camera gives pictures again.
        case returned
        /// Nobody watches: the camera was let go.
        case resting
        /// Somebody watches: the camera is being taken up.
        case watched
        /// Frames come faster than they can be made, in frames a second; `level` should hold, nil where none should or nobody knows.
        case overloaded(arriving: Double, made: Double, level: GeneratePersonSegmentationRequest.QualityLevel?)
        /// The preview's window was closed.
        case previewClosed
    }
}
