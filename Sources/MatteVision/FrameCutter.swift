import Imaging

/// Cuts turned parts out of frames at a network's size. For one thread at a time.
final class FrameCutter {
    private let patch = FramePatch()

    /// Writes `square` of `frame`, into which it reaches, as `size` by `size` pixels; gives the way from their index coordinates to
    /// the frame's.
    func cut(
        _ square: TurnedSquare, of frame: VideoFrame, size: Int, into pixels: UnsafeMutablePointer<Float>
    ) -> AffineTransform {
        let toFrame = AffineTransform.scale(1 / Double(size), 1 / Double(size)).then(square.toFrame)
        cut(toFrame, of: frame, width: size, height: size, scale: square.side / Double(size), into: pixels)
        return toFrame
    }

    /// Writes the picture of `width` by `height` pixels, each about `scale` pixels of `frame` on a side, whose index coordinates
    /// `toFrame` takes to those of the frame as it is shown.
    func cut(
        _ toFrame: AffineTransform, of frame: VideoFrame, width: Int, height: Int, scale: Double,
        into pixels: UnsafeMutablePointer<Float>
    ) {
        // Shrunk by the whole number that leaves at least as many pixels, so that the grid of the shrunk pixels stays where it is while
        // the part moves.
        let factor = max(1, scale.rounded(.down))
        let picture = Rectangle(width: width, height: height)
        let rectangle = Self.rectangle(around: picture.applying(toFrame), of: frame, factor: factor)
        patch.read(frame, rectangle: rectangle, factor: factor)
        patch.cut(toFrame, into: pixels, width: width, height: height)
        patch.letGo()
    }

    /// The smallest rectangle around the part of `box` that lies in `frame`, by edges of pixels shrunk by `factor`; empty
    /// where there is none.
    private static func rectangle(around box: Rectangle, of frame: VideoFrame, factor: Double) -> Rectangle {
        let (width, height) = frame.displaySize
        // One more pixel on each side for the interpolation between centres.
        let grown = Rectangle(
            x: box.x - factor, y: box.y - factor, width: box.width + 2 * factor, height: box.height + 2 * factor
        ).intersection(Rectangle(width: width, height: height))
        let (left, top) = ((grown.x / factor).rounded(.down), (grown.y / factor).rounded(.down))
        return Rectangle(
            x: left * factor, y: top * factor, width: ((grown.maxX / factor).rounded(.up) - left) * factor,
            height: ((grown.maxY / factor).rounded(.up) - top) * factor)
    }
}
