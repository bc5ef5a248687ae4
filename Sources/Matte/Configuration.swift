import Imaging
import MatteVision
import Media

/// What is made of each frame.
public struct Configuration: Sendable {
    /// What takes the place of the background.
    public enum BackgroundKind: Hashable, Sendable {
        /// A colour that follows the head of the largest face.
        case pose(PoseColor)
        /// One colour.
        case color(RGBColor)
        /// What is behind the people, out of focus; the radius is in pixels of a picture 720 pixels high.
        case blur(radius: Double)

        /// How much a background is blurred if nobody says how much.
        public static let usualBlurRadius = 15.0

        /// The background of that name: `pose`, `blur`, `blur:` and a radius up to 100, a CSS colour name or `#rrggbb`; nil where
        /// there is none.
        public init?(name: String) {
            if name == "pose" {
                self = .pose(.all)
            } else if name == "blur" {
                self = .blur(radius: Self.usualBlurRadius)
            } else if name.hasPrefix("blur:") {
                guard let radius = Double(name.dropFirst(5)), 1...100 ~= radius else { return nil }
                self = .blur(radius: radius)
            } else if let color = RGBColor(name: name) {
                self = .color(color)
            } else {
                return nil
            }
        }

        /// The name that gives it back, but for what `pose` shows.
        public var name: String {
            switch self {
            case .pose: "pose"
            case .color(let color): color.name
            case .blur(Self.usualBlurRadius): "blur"
            case .blur(let radius): "blur:\(radius.fixed(radius == radius.rounded() ? 0 : 1))"
            }
        }

        /// The names that there are, in words.
        public static let choices = "take pose, blur, blur:RADIUS, a CSS colour name or #rrggbb"
    }

    /// What comes out.
    public enum OutputKind: String, CaseIterable, Sendable {
        /// The people over the new background.
        case composite
        /// The mask as grey video: white is a person.
        case mask
        /// The people with the mask as straight alpha, nothing behind them.
        case foreground
    }

    /// How much is done for the mask.
    public var qualityLevel = GeneratePersonSegmentationRequest.QualityLevel.balanced
    /// What goes behind the people; without effect on a mask.
    public var background = BackgroundKind.pose(.all)
    /// What the output shows.
    public var outputKind = OutputKind.composite
    /// How many bits a mask that comes out has: `gray8`, `gray10` or `gray16`.
    public var maskPixelFormat = PixelFormat.gray8
    /// Whether faces are looked for even where the background does not need them.
    public var findsFaces = false
    /// Where the networks come from.
    public var models = ModelLibrary()

    /// Balanced, with a background that follows the head.
    public init() {}
}
