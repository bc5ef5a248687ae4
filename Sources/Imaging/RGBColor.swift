/// A colour as non-linear (display-referred) red, green and blue in 0…1: of sRGB (IEC 61966-2-1) where nothing else is said.
/// ``ColorDescription/placing(_:)`` makes of it what a video with other primaries or transfer shows alike.
public struct RGBColor: Hashable, Sendable {
    /// 0…1.
    public var red: Float
    /// 0…1.
    public var green: Float
    /// 0…1.
    public var blue: Float

    /// A colour of three components, 0…1 each.
    public init(red: Float, green: Float, blue: Float) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Whether its parts are alike.
    public var isGray: Bool { red == green && green == blue }
}
