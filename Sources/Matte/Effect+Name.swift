import Compositing
import Imaging
import Media

extension Effect {
    /// How strong an effect may be, and how strong it is where its name alone is given.
    private struct Strength: Sendable {
        let range: ClosedRange<Double>
        let usual: Double
        let effect: @Sendable (Double) -> Effect
    }

    /// By the effects' names.
    private static let strengths: KeyValuePairs<String, Strength> = [
        "dim": Strength(range: 0...10, usual: 1) { .dim(stops: $0) },
        "desaturate": Strength(range: 0...1, usual: 1) { .desaturate(amount: $0) },
        "pixelate": Strength(range: 1...200, usual: 24) { .pixelate(side: $0) },
        "spotlight": Strength(range: 0...10, usual: 2.5) { .spotlight(stops: $0) },
        "shadow": Strength(range: 0...1, usual: 0.5) { .shadow(opacity: $0) },
        "outline": Strength(range: 0.5...50, usual: 6) { .outline(width: $0, color: usualOutline) },
        "light-wrap": Strength(range: 0...1, usual: 0.5) { .lightWrap(amount: $0) },
    ]
    private static let usualOutline = RGBColor(red: 1, green: 1, blue: 1)

    private static func strength(_ name: String) -> Strength? { strengths.first { $0.key == name }?.value }

    /// The effect of that name, perhaps with its strength after a colon, as in `dim:1.5` or `outline:6:white`; nil where there
    /// is none.
    public init?(name text: String) {
        let value = NamedValue(text)
        guard let strength = Self.strength(value.name) else { return nil }
        if value.name == "outline", value.values.count == 2, let width = Double(value.values[0]) {
            guard let color = RGBColor(name: value.values[1]), strength.range ~= width else { return nil }
            self = .outline(width: width, color: color)
        } else {
            guard let amount = value.number(in: strength.range, usual: strength.usual) else { return nil }
            self = strength.effect(amount)
        }
    }

    /// Whether it may have colours that are not the frame's own.
    var isColored: Bool {
        if case .outline(_, let color) = self { !color.isGray } else { false }
    }

    /// The name by which the command knows it, numbers to three decimals. It gives back what such a name can tell.
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
    package static func advice(for text: String) -> String {
        let value = NamedValue(text)
        guard let range = strength(value.name)?.range else {
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
