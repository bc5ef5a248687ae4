import Compositing
import Imaging
import MatteVision
import Media

/// What is made of each frame.
public struct Configuration: Sendable {
    /// What comes out.
    public enum OutputKind: String, CaseIterable, Sendable {
        /// The people over the new background.
        case composite
        /// The mask as grey video: white is a person.
        case mask
        /// The people with the mask as straight alpha, nothing behind them.
        case foreground
        /// Grey video for matting tools: white is surely a person, black surely none, and mid grey may be either.
        case trimap
    }

    /// How much is done for the mask.
    public var qualityLevel = GeneratePersonSegmentationRequest.QualityLevel.balanced
    /// What goes behind the people; without effect on anything but a composite.
    public var background = BackgroundKind.pose(.all)
    /// What is done to the background, or around the people, besides; each kind of effect once.
    public var effects: [Effect] = []
    /// How a picture or video behind the people gets the frame's shape.
    public var backgroundFit = BackgroundReader.Fit.fill
    /// What a picture or video behind the people may open, and how large its pictures may be.
    public var backgroundLimits = InputLimits()
    /// Whether the first damage in what is put behind the people is an error; otherwise it is passed over.
    public var isBackgroundStrict = false
    /// Seconds of the input that are left out before the first frame: a video behind the people goes on as if it had run then.
    public var backgroundStart = 0.0
    /// Which part of the picture comes out.
    public var framing = Framing.whole
    /// What the output shows.
    public var outputKind = OutputKind.composite
    /// How many bits a mask that comes out has: `gray8`, `gray10` or `gray16`.
    public var maskPixelFormat = PixelFormat.gray8
    /// Whether faces are looked for even where neither the background nor a ``PoseWriter`` of a pipeline needs them.
    public var findsFaces = false
    /// Where the networks come from.
    public var models = ModelLibrary()

    /// Whether what comes out has alpha: what ``/Media/EncoderSettings/keepsAlpha`` has to be for it.
    public var hasAlpha: Bool { outputKind == .foreground || (outputKind == .composite && background == .none) }

    /// What is added to frames, for which their formats must have room: what ``/Media/MediaReader/Options/addition`` has to be.
    public var addition: Addition {
        guard !hasAlpha else { return .alpha }
        let addsColor = background.isColored || effects.contains(where: \.isColored)
        return outputKind == .composite && addsColor ? .color : .none
    }

    /// Balanced, with a background that follows the head.
    public init() {}

    /// - Throws: `MatteError` of kind `usage` where settings don't go together or can't be.
    func validate() throws(MatteError) {
        guard [.gray8, .gray10, .gray16].contains(maskPixelFormat) else {
            throw MatteError(.usage, "a mask can't be \(maskPixelFormat): take gray, gray10le or gray16le")
        }
        guard outputKind == .composite else {
            guard effects.isEmpty else {
                throw MatteError(
                    .usage, "effects are for composites: a \(outputKind.rawValue) has no \(effects[0].name)")
            }
            return
        }
        for (index, effect) in effects.enumerated() where effects[..<index].contains(where: effect.isSameKind(as:)) {
            throw MatteError(.usage, "the effect \(effect.kindName) is asked for twice: take it once")
        }
        if background == .none, let effect = effects.first(where: { !$0.standsAlone }) {
            throw MatteError(
                .usage, "the effect \(effect.name) needs a background: with none there are outline and shadow alone")
        }
    }
}
