import Glibc

/// The light in a picture: its colour, and how much of it there is.
///
/// Networks know people in white light, and not too little of it. Where a frame is read as RGB, its light is made so
/// (``VideoFrame/illuminant``).
package struct Illuminant: Hashable, Sendable {
    /// By how much the light's components may differ from their mean before that is taken out; nearly white light stays as it is,
    /// since pictures differ in their own colours, too. A natural logarithm, as all of these.
    private static let tolerance: Float = 0.1
    /// By how much they are changed at most: what the light lacks is noise.
    private static let most: Float = 1.2
    /// How much light is enough: that of 0.4.
    private static let enough: Float = log(0.4)
    /// By how much it is made brighter at most, eight times.
    private static let brightest: Float = log(8)

    /// White, and enough of it.
    package static let white = Illuminant(logarithms: .zero)

    /// Natural logarithms of red, green and blue.
    private var logarithms: SIMD3<Float>

    private init(logarithms: SIMD3<Float>) { self.logarithms = logarithms }

    /// Light of so much red, green and blue, 0…1 each. Where there is none of any it is told as white.
    package init(red: Float, green: Float, blue: Float) {
        let color = SIMD3(red, green, blue)
        let least = color.sum() / 3 * exp(-2 * Self.most)
        logarithms =
            least > 0 ? SIMD3(log(max(red, least)), log(max(green, least)), log(max(blue, least))) : .zero
    }

    /// The light on its way to `other`: there is `share` of that in it, 0…1.
    package func mixed(with other: Illuminant, share: Float) -> Illuminant {
        Illuminant(logarithms: logarithms + (other.logarithms - logarithms) * share)
    }

    private var mean: Float { log((exp(logarithms.x) + exp(logarithms.y) + exp(logarithms.z)) / 3) }

    // A logarithm.
    private var lack: Float { min(max(0, Self.enough - mean), Self.brightest) }

    /// How many times as much light is enough, 1…8.
    package var brightening: Float { exp(lack) }

    /// What red, green and blue are multiplied with to look as in white light, and enough of it.
    package var gains: SIMD3<Float> {
        let (mean, lack) = (mean, lack)
        var gains = SIMD3<Float>.one
        for index in 0..<3 {
            let difference = logarithms[index] - mean
            let excess = min(max(0, abs(difference) - Self.tolerance), Self.most)
            gains[index] = exp(lack + (difference < 0 ? excess : -excess))
        }
        return gains
    }
}
