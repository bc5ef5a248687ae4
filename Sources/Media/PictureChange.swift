import CFFmpeg
import Imaging

/// Tells, once of each thing, that pictures are no longer as the first was.
struct PictureChange {
    private let first: Form
    private var told: Set<Kind> = []

    private enum Kind { case picture, pixel, orientation, color }

    init(from frame: VideoFrame) { first = Form(frame) }

    /// Sentences for what is otherwise in `frame` than in any before; none for most.
    mutating func warnings(of frame: VideoFrame) -> [String] {
        let form = Form(frame)
        guard form != first else { return [] }
        var warnings: [String] = []
        if form.picture != first.picture, told.insert(.picture).inserted {
            warnings.append(
                "the picture changes from \(first.picture) to \(form.picture) on the way; it is written as it was at first"
            )
        }
        if form.pixel != first.pixel, told.insert(.pixel).inserted {
            warnings.append(
                "a pixel's aspect changes from \(first.pixel) to \(form.pixel) on the way; it is told as it was at first, and what "
                    + "follows is shown too wide or too narrow")
        }
        if form.orientation != first.orientation, told.insert(.orientation).inserted {
            warnings.append(
                "the picture's orientation changes from \(first.orientation) to \(form.orientation) on the way; it is "
                    + "written as if it were as at first")
        }
        if form.color != first.color, told.insert(.color).inserted {
            warnings.append(
                "the colours change from \(first.color) to \(form.color) on the way; they are told as they were at first, and "
                    + "what follows looks wrong")
        }
        return warnings
    }

    private struct Form: Equatable {
        let width: Int
        let height: Int
        let format: PixelFormat
        let aspect: Rational
        let orientation: Orientation
        /// FFmpeg's names of primaries and transfer.
        let color: String

        init(_ frame: VideoFrame) {
            let buffer = frame.pixelBuffer
            (width, height, format) = (buffer.width, buffer.height, buffer.format)
            aspect = frame.sampleAspectRatio.isKnown ? frame.sampleAspectRatio : Rational(1, 1)
            orientation = frame.orientation
            let names = [
                av_color_primaries_name(frame.color.avPrimaries), av_color_transfer_name(frame.color.avTransfer),
            ]
            color = names.map { $0.map { String(cString: $0) } ?? "unknown" }.joined(separator: "/")
        }

        var picture: String { "\(width)x\(height) \(format)" }
        var pixel: String { "\(aspect.numerator):\(aspect.denominator)" }
    }
}
