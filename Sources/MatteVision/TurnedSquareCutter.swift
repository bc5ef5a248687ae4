import Imaging

/// Cuts turned squares out of frames at a network's size. For one thread at a time.
final class TurnedSquareCutter {
    private let patch = FramePatch()

    /// Writes `square` of `frame`, into which it reaches, as `size` by `size` pixels; gives the way from their index coordinates to
    /// the frame's.
    func cut(
        _ square: TurnedSquare, of frame: VideoFrame, size: Int, into pixels: UnsafeMutablePointer<Float>
    ) -> AffineTransform {
        // Shrunk by the whole number that leaves the side at least that long, so that the grid of the shrunk pixels stays where it
        // is while the square moves.
        let factor = max(1, (square.side / Double(size)).rounded(.down))
        patch.read(frame, rectangle: Self.rectangle(around: square, of: frame, factor: factor), factor: factor)
        let toFrame = AffineTransform.scale(1 / Double(size), 1 / Double(size)).then(square.toFrame)
        patch.cut(toFrame, into: pixels, width: size, height: size)
        return toFrame
    }

    /// The smallest rectangle around the part of `square` that lies in `frame`, by edges of pixels shrunk by `factor`; empty
    /// where there is none.
    private static func rectangle(around square: TurnedSquare, of frame: VideoFrame, factor: Double) -> Rectangle {
        let (width, height) = frame.displaySize
        let box = Rectangle(x: 0, y: 0, width: 1, height: 1).applying(square.toFrame)
        // One more pixel on each side for the interpolation between centres.
        let grown = Rectangle(
            x: box.x - factor, y: box.y - factor, width: box.width + 2 * factor, height: box.height + 2 * factor
        ).intersection(Rectangle(x: 0, y: 0, width: Double(width), height: Double(height)))
        let (left, top) = ((grown.x / factor).rounded(.down), (grown.y / factor).rounded(.down))
        return Rectangle(
            x: left * factor, y: top * factor, width: ((grown.maxX / factor).rounded(.up) - left) * factor,
            height: ((grown.maxY / factor).rounded(.up) - top) * factor)
    }
}
