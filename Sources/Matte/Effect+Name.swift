import Compositing
import Imaging
import Media

extension Effect {
    /// How strong each effect may be, by its name.
    private static let strengths: KeyValuePairs<String, ClosedRange<Double>> = [
        "dim": 0...10, "desaturate": 0...1, "pixelate": 1...200, "spotlight": 0...10, "shadow": 0...1,
        "outline": 0.5...50, "light-wrap": 0...1,
    ]

    private static func strength(_ name: String) -> ClosedRange<Double>? { strengths.first { $0.key == name }?.value }

    /// The effect of that name, perhaps with its strength after a colon, as in `dim:1.5` or `outline:6:white`; nil where there
    /// is none.
    public init?(name text: String) {
        let value = NamedValue(text)
        guard let range = Self.strength(value.name) else { return nil }
        switch value.name {
        case "dim":
            guard let stops = value.number(in: range, usual: 1) else { return nil }
            self = .dim(stops: stops)
        case "desaturate":
            guard let amount = value.number(in: range, usual: 1) else { return nil }
            self = .desaturate(amount: amount)
        case "pixelate":
            guard let side = value.number(in: range, usual: 24) else { return nil }
            self = .pixelate(side: side)
        case "spotlight":
            guard let stops = value.number(in: range, usual: 2.5) else { return nil }
            self = .spotlight(stops: stops)
        case "shadow":
            guard let opacity = value.number(in: range, usual: 0.5) else { return nil }
            self = .shadow(opacity: opacity)
        case "light-wrap":
            guard let amount = value.number(in: range, usual: 0.5) else { return nil }
            self = .lightWrap(amount: amount)
        default:
            guard value.values.count <= 2 else { return nil }
            let width = value.values.first.map { Double($0) ?? -1 } ?? 6
            let color = value.values.dropFirst().first.map { RGBColor(name: $0) } ?? RGBColor(red: 1, green: 1, blue: 1)
            guard let color, range ~= width else { return nil }
            self = .outline(width: width, color: color)
        }
    }

    /// Whether it may have colours that are not the frame's own.
    var isColored: Bool {
        if case .outline(_, let color) = self { !color.isGray } else { false }
    }

    /// The name that gives it back.
    public var name: String {
        switch self {
        case .dim(let stops): "dim:\(stops.shortText)"
        case .desaturate(let amount): "desaturate:\(amount.shortText)"
        case .pixelate(let side): "pixelate:\(side.shortText)"
        case .spotlight(let stops): "spotlight:\(stops.shortText)"
        case .shadow(let opacity): "shadow:\(opacity.shortText)"
        case .lightWrap(let amount): "light-wrap:\(amount.shortText)"
        case .outline(let width, let color): "outline:\(width.shortText):\(color.name)"
        }
    }

    /// The name without its strength.
    var kindName: String { String(name.prefix { $0 != ":" }) }

    /// Whether both do the same, more or less of it.
    func isSameKind(as other: Effect) -> Bool { kindName == other.kindName }

    /// What to take in the place of `text`, which is no effect's name.
    public static func advice(for text: String) -> String {
        let value = NamedValue(text)
        guard let range = strength(value.name) else {
            return strengths.map(\.key).nearest(to: value.name).map { "did you mean '\($0)'?" } ?? choices
        }
        let numbers = "from \(range.lowerBound.shortText) to \(range.upperBound.shortText)"
        return value.name == "outline"
            ? "outline takes a width \(numbers), and perhaps a colour" : "\(value.name) takes a number \(numbers)"
    }

    private static let choices =
        "take dim[:STOPS], desaturate[:AMOUNT], pixelate[:SIDE], spotlight[:STOPS], shadow[:OPACITY], "
        + "outline[:WIDTH[:COLOR]] or light-wrap[:AMOUNT]"

    /// How far it reaches beyond the people, in pixels of a picture 720 pixels high.
    var reach: Double {
        switch self {
        case .outline(let width, _): width + 1
        // Where a soft edge ends and how far it lies from them.
        case .shadow: 32
        default: 0
        }
    }

    /// Whether it goes around the people, so that it needs no background.
    var standsAlone: Bool {
        switch self {
        case .outline, .shadow: true
        default: false
        }
    }
}
