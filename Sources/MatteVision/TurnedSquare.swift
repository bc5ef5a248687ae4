import Glibc
import Imaging

/// A turned square of a frame: what a network for one face or one body looks at.
///
/// In pixels of the frame as it is shown, as index coordinates: the centre of the first pixel is (0, 0), y down.
struct TurnedSquare: Equatable {
    var x: Double
    var y: Double
    var side: Double
    /// Radians, clockwise as seen in the picture.
    var rotation: Double

    /// The largest one, in the frame's longer sides.
    private static let largest = 4.0

    init(x: Double, y: Double, side: Double, rotation: Double) {
        self.x = x
        self.y = y
        self.side = side
        self.rotation = rotation
    }

    /// From the square's own coordinates (0…1 from its upper left corner) to the frame's.
    var toFrame: AffineTransform {
        let (c, s) = (side * cos(rotation), side * sin(rotation))
        return AffineTransform(a: c, b: -s, tx: x - (c - s) / 2, c: s, d: c, ty: y - (s + c) / 2)
    }

    /// Whether a network can look at it in `frame`: it has a size and reaches into the frame.
    func reaches(into frame: VideoFrame) -> Bool {
        let (width, height) = frame.displaySize
        guard side >= 1, side <= Self.largest * Double(max(width, height)) else { return false }
        let picture = Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
        return Rectangle(x: 0, y: 0, width: 1, height: 1).applying(toFrame).intersection(picture).area > 0
    }
}

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
