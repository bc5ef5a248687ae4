import Imaging

/// A region of a frame, and the size of a picture of it.
struct RegionView {
    let frame: VideoFrame
    /// In upright pixels.
    let rectangle: Rectangle
    /// Columns and rows of the picture.
    let width: Int
    let height: Int
    /// Width of an upright pixel of the frame over its height.
    let framePixelAspect: Double

    private var across: Double { rectangle.width / Double(width) }
    private var down: Double { rectangle.height / Double(height) }

    /// Width of a pixel of the picture over its height.
    var pixelAspect: Double { across * framePixelAspect / down }

    /// Where in the frame a square of the picture lies.
    func place(of square: Rectangle) -> Rectangle {
        Rectangle(
            x: rectangle.x + square.x * across, y: rectangle.y + square.y * down, width: square.width * across,
            height: square.height * down)
    }
}
