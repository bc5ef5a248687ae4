import Glibc
import Imaging

/// Colours that run into each other along a line, as CSS's `linear-gradient` has them (CSS Images Module Level 3).
public struct LinearGradient: Hashable, Sendable {
    /// Two colours or more, at even distances.
    public let colors: [RGBColor]
    /// Where the line points, in degrees: 0 is up, 90 to the right, 180 down; what is no finite number leaves the first colour alone.
    public let angle: Double

    /// A gradient of at least two `colors`.
    public init(_ colors: [RGBColor], angle: Double = 180) {
        precondition(colors.count >= 2, "a gradient has two colours at least")
        self.colors = colors
        self.angle = angle
    }

    /// The colour at (x, y) of a picture of `width` by `height`, shown upright.
    func color(x: Double, y: Double, width: Double, height: Double) -> RGBColor {
        let radians = angle * .pi / 180
        let (across, down) = (sin(radians), -cos(radians))
        let length = abs(width * across) + abs(height * down)
        let place = ((x - width / 2) * across + (y - height / 2) * down) / length + 0.5
        // With the bound first, which is what comes of no number.
        let position = min(max(0, place), 1) * Double(colors.count - 1)
        let first = min(Int(position), colors.count - 2)
        let (from, to, share) = (colors[first], colors[first + 1], Float(position - Double(first)))
        return RGBColor(
            red: from.red + (to.red - from.red) * share, green: from.green + (to.green - from.green) * share,
            blue: from.blue + (to.blue - from.blue) * share)
    }
}
