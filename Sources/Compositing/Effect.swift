import Imaging

/// Something that is done to the background, or around the people, besides what takes the background's place.
///
/// Effects go together in any number; the order in which they are given does not matter. Of two of a kind a ``Compositor`` takes the
/// last one, and a `MatteFilter` neither. All lengths are in pixels of a picture 720 pixels high. A number that can't be meant counts as the nearest that can, and
/// what is none as the smallest. A sample of a person is never changed where the mask is 255
/// (for chroma, in all the pixels that it counts for), but for `lightWrap`.
public enum Effect: Hashable, Sendable {
    /// The background is exposed less, by so many stops.
    case dim(stops: Double)
    /// So much of the background's colour is taken away: 1 leaves grey.
    case desaturate(amount: Double)
    /// The background is drawn in squares of this side; nothing of the people is in them.
    case pixelate(side: Double)
    /// A pool of light stays around the people, and everything else is exposed less by so many stops.
    case spotlight(stops: Double)
    /// The people cast a soft shadow on the background, which takes so much of its light: 0…1.
    case shadow(opacity: Double)
    /// A band of one colour runs around the people, as around a sticker.
    case outline(width: Double, color: RGBColor)
    /// The background's light spills so much over the people's edges: 0…1.
    case lightWrap(amount: Double)
}

/// What a list of effects comes to.
struct EffectSettings: Equatable {
    var dimStops = 0.0
    var desaturation = 0.0
    var pixelSide: Double?
    var spotlightStops = 0.0
    var shadowOpacity = 0.0
    var outline: Outline?
    var lightWrap = 0.0

    struct Outline: Equatable {
        let width: Double
        let color: RGBColor
    }

    init(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .dim(let stops): dimStops = stops.clamped(to: 0 ... .infinity)
            case .desaturate(let amount): desaturation = amount.clamped(to: 0...1)
            case .pixelate(let side): pixelSide = side.clamped(to: 1 ... .longest)
            case .spotlight(let stops): spotlightStops = stops.clamped(to: 0 ... .infinity)
            case .shadow(let opacity): shadowOpacity = opacity.clamped(to: 0...1)
            case .outline(let width, let color):
                outline = width > 0 ? Outline(width: width.clamped(to: 0.01 ... .longest), color: color) : nil
            case .lightWrap(let amount): lightWrap = amount.clamped(to: 0...1)
            }
        }
    }
}
