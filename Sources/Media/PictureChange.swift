import Imaging

/// Tells, once of each thing, that pictures are no longer as the first was.
struct PictureChange {
    private let first: (picture: String, pixel: String, orientation: Orientation)
    private var told: Set<Kind> = []

    private enum Kind { case picture, pixel, orientation }

    init(from frame: VideoFrame) {
        first = (Self.picture(of: frame), Self.pixel(of: frame), frame.orientation)
    }

    /// Sentences for what is otherwise in `frame` than in any before; none for most.
    mutating func warnings(of frame: VideoFrame) -> [String] {
        let (picture, pixel) = (Self.picture(of: frame), Self.pixel(of: frame))
        var warnings: [String] = []
        if picture != first.picture, told.insert(.picture).inserted {
            warnings.append(
                "the picture changes from \(first.picture) to \(picture) on the way; it is written as it was at first")
        }
        if pixel != first.pixel, told.insert(.pixel).inserted {
            warnings.append(
                "a pixel's aspect changes from \(first.pixel) to \(pixel) on the way; it is told as it was at first, and what "
                    + "follows is shown too wide or too narrow")
        }
        if frame.orientation != first.orientation, told.insert(.orientation).inserted {
            warnings.append(
                "the picture's orientation changes from \(first.orientation) to \(frame.orientation) on the way; it is "
                    + "written as if it were as at first")
        }
        return warnings
    }

    private static func picture(of frame: VideoFrame) -> String {
        let buffer = frame.pixelBuffer
        return "\(buffer.width)x\(buffer.height) \(buffer.format)"
    }

    private static func pixel(of frame: VideoFrame) -> String {
        let aspect = frame.sampleAspectRatio
        return aspect.isKnown ? "\(aspect.numerator):\(aspect.denominator)" : "1:1"
    }
}
