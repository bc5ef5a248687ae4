import Imaging

/// Makes a mask of all people in a frame, steady over a sequence of frames.
///
/// Stateful, and therefore a class: make one, and perform it on every frame of a sequence in order. What it remembers (the
/// last mask, the region that it follows, a recurrent network's state) is cleared by itself on a change of size or
/// orientation, on a scene cut and when time goes backwards, and by ``reset()``. The mask has the stored frame's size and
/// orientation, so that it lies on the frame pixel by pixel: 1 is a person, 0 is background. A frame without people gets a
/// mask of zeros. People may lie, or stand on their head, if all of them do. Light may be coloured, or little: networks see frames
/// as in white light, and enough of it; a model of the user's own sees them as they are.
///
/// For one thread at a time. The first frame loads the networks (0.2 to 0.6 s each where nothing is cached); a frame of another
/// size or at another level loads only those that were not needed before.
public final class GeneratePersonSegmentationRequest: ImageProcessingRequest {
    /// How much is done for the mask; what each level does stands in the manifest of the models.
    public enum QualityLevel: String, CaseIterable, Sendable {
        /// A search for people near and far, crops that follow up to three of them or groups, and a network's mask of each.
        case fast
        /// Crops of up to four, a closer look at head and shoulders, and a matting network that makes alpha of the masks.
        case balanced
        /// A search more often, closer looks from two distances, and finer alpha.
        case accurate
    }

    /// The format of the mask's values.
    public enum OutputPixelFormat: CaseIterable, Sendable {
        /// 0…255.
        case oneComponent8
        /// 0…1 in half precision.
        case oneComponent16Half
        /// 0…1 in single precision.
        case oneComponent32Float

        var pixelFormat: PixelFormat {
            switch self {
            case .oneComponent8: .gray8
            case .oneComponent16Half: .grayf16
            case .oneComponent32Float: .grayf32
            }
        }
    }

    /// The behaviour of the request. From version 1.0 on a revision that is there keeps its masks; until then they may change with
    /// the networks.
    public enum Revision: Int, CaseIterable, Sendable {
        case revision1 = 1
    }

    /// Which behaviour the request was made with.
    public let revision: Revision
    /// Setting another level begins a new sequence.
    public var qualityLevel: QualityLevel { didSet { if qualityLevel != oldValue { sequence = nil } } }
    /// The format of masks from the next one on.
    public var outputPixelFormat = OutputPixelFormat.oneComponent8

    private let networks: LoadedNetworks
    private var sequence: SegmentationSequence?

    /// A request that takes its networks from `models`.
    public init(
        _ revision: Revision = .revision1, qualityLevel: QualityLevel = .balanced, models: ModelLibrary = ModelLibrary()
    ) {
        self.revision = revision
        self.qualityLevel = qualityLevel
        networks = LoadedNetworks(models)
    }

    /// Forgets the sequence: the next mask is what a fresh request would make.
    public func reset() {
        sequence?.reset()
    }

    /// Loads the networks that frames of `width` by `height` upright pixels need, so that the first frame does not wait; pixels
    /// that are not square may need another. The one that sees whoever stands is loaded when somebody does, which takes some tenths
    /// of a second once; and the first frame of a sequence, in which people are searched for, takes several times as long as those
    /// after it. A size below 1 is a caller's mistake, and traps.
    ///
    /// - Throws: `VisionError` when a model or the runtime is missing or is not what the manifest says.
    public func prepare(width: Int, height: Int) throws(VisionError) {
        precondition(width > 0 && height > 0, "a frame has at least one pixel")
        _ = try sequence(width: width, height: height, pixelAspect: 1)
    }

    private func sequence(width: Int, height: Int, pixelAspect: Double) throws(VisionError) -> SegmentationSequence {
        if let sequence, sequence.serves(width: width, height: height, pixelAspect: pixelAspect) { return sequence }
        let made = try SegmentationSequence(
            level: qualityLevel.rawValue, networks: networks, width: width, height: height, pixelAspect: pixelAspect)
        sequence = made
        return made
    }

    /// The mask of `frame`: one component a pixel in `outputPixelFormat`, of the stored frame's size.
    ///
    /// - Throws: `VisionError` when a model or the runtime is missing, is not what the manifest says, or fails.
    public func perform(on frame: VideoFrame) throws(VisionError) -> PixelBufferObservation {
        try unrefinedMask(of: frame).refined()
    }

    /// The first part of `perform`, the networks' work; the mask is made of it by `UnrefinedMask.refined`.
    package func unrefinedMask(of frame: VideoFrame) throws(VisionError) -> UnrefinedMask {
        frame.requireVideoFormat()
        let size = frame.uprightSize
        return try sequence(width: size.width, height: size.height, pixelAspect: frame.uprightPixelAspect)
            .mask(of: frame, format: outputPixelFormat.pixelFormat)
    }
}
