/// A small floating-point picture of red, green and blue, rows from the top without padding: what a network sees.
public struct RGBMap: Sendable, Equatable {
    public private(set) var width: Int
    public private(set) var height: Int
    /// `3 * width * height` components (0…1 within the frame's range), pixels interleaved.
    public var values: [Float]

    /// A black picture.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
        values = Array(repeating: 0, count: 3 * width * height)
    }

    /// Takes another size; what the picture shows is undefined until it is written.
    public mutating func resize(width: Int, height: Int) {
        guard (width, height) != (self.width, self.height) else { return }
        self = RGBMap(width: width, height: height)
    }
}
