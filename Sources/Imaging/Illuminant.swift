import Glibc

/// The colour of the light in a picture.
///
/// Networks know people in white light best. Where a frame is read as RGB, its light is taken out of it (``VideoFrame/illuminant``).
package struct Illuminant: Hashable, Sendable {
    /// By how much the light's components may differ from its mean before that is taken out; nearly white light stays as it is, since
    /// pictures differ in their own colours, too. Natural logarithms.
    private static let tolerance: Float = 0.1
    /// By how much they are changed at most: what the light lacks is noise.
    private static let most: Float = 1.2

    package static let white = Illuminant(logarithms: .zero)

    /// Red, green and blue relative to their mean, as natural logarithms.
    private var logarithms: SIMD3<Float>

    private init(logarithms: SIMD3<Float>) { self.logarithms = logarithms }

    /// Light of which there is so much red, green and blue; without any of them it is white.
    package init(red: Float, green: Float, blue: Float) {
        let color = SIMD3(red, green, blue)
        let mean = color.sum() / 3
        let least = mean * exp(-2 * Self.most)
        logarithms =
            mean > 0
            ? SIMD3(log(max(red, least) / mean), log(max(green, least) / mean), log(max(blue, least) / mean)) : .zero
    }

    /// The light on its way to `other`: there is `share` of that in it, 0…1.
    package func mixed(with other: Illuminant, share: Float) -> Illuminant {
        Illuminant(logarithms: logarithms + (other.logarithms - logarithms) * share)
    }

    /// What red, green and blue are multiplied with to look as in white light.
    package var gains: SIMD3<Float> {
        var gains = SIMD3<Float>.one
        for index in 0..<3 {
            let difference = logarithms[index]
            let excess = min(max(0, abs(difference) - Self.tolerance), Self.most)
            gains[index] = exp(difference < 0 ? excess : -excess)
        }
        return gains
    }
}
