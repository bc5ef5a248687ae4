/// An axis-aligned rectangle; the edges of pixel i are at i and i + 1, x to the right and y down.
public struct Rectangle: Hashable, Sendable {
    /// The left edge.
    public var x: Double
    /// The upper edge.
    public var y: Double
    /// How wide it is.
    public var width: Double
    /// How high it is.
    public var height: Double

    /// A rectangle by its upper left corner and its size.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// All of a picture.
    package init(width: Int, height: Int) { self.init(x: 0, y: 0, width: Double(width), height: Double(height)) }

    /// The right edge.
    public var maxX: Double { x + width }
    /// The lower edge.
    public var maxY: Double { y + height }
    /// The centre's distance from the left.
    public var midX: Double { x + width / 2 }
    /// The centre's distance from the top.
    public var midY: Double { y + height / 2 }
    /// Width times height.
    public var area: Double { width * height }

    /// Whether a point lies inside, or on the left or upper edge.
    public func contains(x: Double, y: Double) -> Bool {
        self.x <= x && x < maxX && self.y <= y && y < maxY
    }

    /// What both rectangles cover; empty (zero size) where they don't meet.
    public func intersection(_ other: Rectangle) -> Rectangle {
        let left = max(x, other.x)
        let top = max(y, other.y)
        let right = min(maxX, other.maxX)
        let bottom = min(maxY, other.maxY)
        return Rectangle(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }

    /// The smallest rectangle around both.
    public func union(_ other: Rectangle) -> Rectangle {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return Rectangle(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }

    /// Area of the intersection over area of the union (Jaccard index); 0 for two empty rectangles.
    public func intersectionOverUnion(_ other: Rectangle) -> Double {
        let common = intersection(other).area
        let union = area + other.area - common
        return union > 0 ? common / union : 0
    }

    /// The smallest rectangle around the image of this one under `transform`.
    public func applying(_ transform: AffineTransform) -> Rectangle {
        let corners = [
            transform.apply(x, y), transform.apply(maxX, y), transform.apply(x, maxY), transform.apply(maxX, maxY),
        ]
        let left = corners.map(\.x).min()!
        let top = corners.map(\.y).min()!
        return Rectangle(
            x: left, y: top, width: corners.map(\.x).max()! - left, height: corners.map(\.y).max()! - top)
    }
}
