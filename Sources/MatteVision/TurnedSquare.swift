import Glibc
import Imaging

/// A turned square of a frame: what a network for one face looks at.
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

    /// From the square's own coordinates (0…1 from its upper left corner) to the frame's.
    var toFrame: AffineTransform {
        let (c, s) = (side * cos(rotation), side * sin(rotation))
        return AffineTransform(a: c, b: -s, tx: x - (c - s) / 2, c: s, d: c, ty: y - (s + c) / 2)
    }

    /// Whether a network can look at it in `frame`: it has a size and reaches into the frame.
    func reaches(into frame: VideoFrame) -> Bool {
        let (width, height) = frame.displaySize
        guard side >= 1, side <= Self.largest * Double(max(width, height)) else { return false }
        let picture = Rectangle(width: width, height: height)
        return Rectangle(x: 0, y: 0, width: 1, height: 1).applying(toFrame).intersection(picture).area > 0
    }
}
