import Compositing
import Imaging
import Media

extension Configuration {
    /// What takes the place of the background. Lengths are in pixels of a picture 720 pixels high.
    public enum BackgroundKind: Hashable, Sendable {
        /// A colour that follows the head of the largest face.
        case pose(PoseColor)
        /// One colour.
        case color(RGBColor)
        /// Colours that run into each other.
        case gradient(LinearGradient)
        /// Squares of two greys, on which a mask's flaws show.
        case checker
        /// A picture, an animated picture or a video, which is played over and over.
        case media(path: String)
        /// What is behind the people, out of focus.
        case blur(radius: Double)
        /// What is behind the people as a lens shows it out of focus: lights become discs, and a soft light lies around the
        /// people.
        case bokeh(radius: Double)
        /// What is behind the people, as it is: for effects alone.
        case original
        /// Nothing: what comes out has alpha.
        case none

        /// How much a background is blurred if nobody says how much.
        public static let usualBlurRadius = 15.0
        /// The discs of lights if nobody says how large.
        public static let usualBokehRadius = 18.0
        /// The gradient if nobody names colours.
        public static let usualGradient = LinearGradient(
            [RGBColor(red: 0.13, green: 0.17, blue: 0.36), RGBColor(red: 0.55, green: 0.35, blue: 0.55)], angle: 160)

        /// The background of that name; nil where there is none.
        ///
        /// `pose`, `none`, `original`, `checker`, `blur` and `bokeh` with a radius up to 100 after a colon, `gradient` with two
        /// colours or more and perhaps an angle in degrees, -360 to 360, after colons, a CSS colour name, `#rrggbb` or
        /// `#rgb`, or the path of a picture or a video, which holds a dot or a slash.
        public init?(name text: String) {
            let value = NamedValue(text)
            switch (value.name, value.values.count) {
            case ("pose", 0): self = .pose(.all)
            case ("checker", 0): self = .checker
            case ("original", 0): self = .original
            case ("none", 0): self = .none
            case ("blur", _):
                guard let radius = value.number(in: 1...100, usual: Self.usualBlurRadius) else { return nil }
                self = .blur(radius: radius)
            case ("bokeh", _):
                guard let radius = value.number(in: 1...100, usual: Self.usualBokehRadius) else { return nil }
                self = .bokeh(radius: radius)
            case ("gradient", _):
                guard let gradient = Self.gradient(value.values) else { return nil }
                self = .gradient(gradient)
            default:
                if let color = RGBColor(name: text) {
                    self = .color(color)
                } else if text.contains("/") || text.dropFirst().contains(".") {
                    self = .media(path: text)
                } else {
                    return nil
                }
            }
        }

        private static func gradient(_ values: [String]) -> LinearGradient? {
            if values.isEmpty { return usualGradient }
            let angle = values.last.flatMap { Double($0) }
            let names = angle == nil ? values[...] : values.dropLast()
            let colors = names.compactMap { RGBColor(name: $0) }
            guard colors.count == names.count, colors.count >= 2 else { return nil }
            let direction = angle ?? 180
            return (-360...360).contains(direction) ? LinearGradient(colors, angle: direction) : nil
        }

        /// Whether it may have colours that are not the frame's own.
        var isColored: Bool {
            switch self {
            case .pose, .media: true
            case .color(let color): !color.isGray
            case .gradient(let gradient): !gradient.colors.allSatisfy(\.isGray)
            case .checker, .blur, .bokeh, .original, .none: false
            }
        }

        /// Whether it is read from a file.
        package var isMedia: Bool {
            if case .media = self { true } else { false }
        }

        /// The name by which the command knows it, numbers to three decimals. It gives back what such a name can tell, but for what
        /// `pose` shows.
        public var name: String {
            switch self {
            case .pose: "pose"
            case .color(let color): color.name
            case .gradient(Self.usualGradient): "gradient"
            case .gradient(let gradient):
                (["gradient"] + gradient.colors.map(\.name) + [gradient.angle.shortText]).joined(separator: ":")
            case .checker: "checker"
            case .media(let path): path
            case .blur(Self.usualBlurRadius): "blur"
            case .blur(let radius): "blur:\(radius.shortText)"
            case .bokeh(Self.usualBokehRadius): "bokeh"
            case .bokeh(let radius): "bokeh:\(radius.shortText)"
            case .original: "original"
            case .none: "none"
            }
        }

        /// What to take in the place of `text`, which is no background's name.
        package static func advice(for text: String) -> String {
            let value = NamedValue(text)
            switch value.name {
            case "blur", "bokeh": return "\(value.name) takes a number from 1 to 100"
            case "gradient":
                if let unknown = value.values.first(where: { RGBColor(name: $0) == nil && Double($0) == nil }) {
                    return "'\(unknown)' is no colour"
                }
                return "gradient takes two colours or more, and perhaps degrees from -360 to 360"
            default:
                let names = ["pose", "blur", "bokeh", "gradient", "checker", "original", "none"] + RGBColor.names
                return names.nearest(to: value.name).map { "did you mean '\($0)'?" } ?? choices
            }
        }

        private static let choices =
            "take pose, blur[:RADIUS], bokeh[:RADIUS], gradient[:COLOR:COLOR[:DEGREES]], checker, original, none, a CSS colour "
            + "name, #rrggbb, or the path of a picture or video, which holds a dot or a slash"
    }
}
