/// A colour as non-linear (display-referred) red, green and blue in 0…1, in the primaries of the picture that it goes into.
public struct RGBColor: Hashable, Sendable {
    public var red: Float
    public var green: Float
    public var blue: Float

    public init(red: Float, green: Float, blue: Float) {
        self.red = red
        self.green = green
        self.blue = blue
    }
}
