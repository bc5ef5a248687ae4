/// The alpha of one frame: how much of every pixel is a person.
public struct AlphaMatte: Hashable, Sendable {
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// Alpha (0…1) of every pixel, rows from the top without padding.
    public let values: [Float]

    /// `values` holds `width * height` elements.
    public init(width: Int, height: Int, values: [Float]) {
        precondition(width > 0 && height > 0 && values.count == width * height, "a matte has one value a pixel")
        self.width = width
        self.height = height
        self.values = values
    }

    func requireSameSize(as other: AlphaMatte) {
        precondition(width == other.width && height == other.height, "only mattes of one size can be compared")
    }
}
