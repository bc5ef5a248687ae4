import Imaging

/// Tells, once, that pictures are no longer as the first was.
struct PictureChange {
    private let format: PixelFormat
    private let width: Int
    private let height: Int
    private var wasTold = false

    init(from first: PixelBuffer) {
        (format, width, height) = (first.format, first.width, first.height)
    }

    /// A sentence for the first picture of another size or format; nil for all others.
    mutating func warning(of buffer: PixelBuffer) -> String? {
        guard !wasTold, buffer.width != width || buffer.height != height || buffer.format != format else { return nil }
        wasTold = true
        return "the picture changes from \(width)x\(height) \(format) to \(buffer.width)x\(buffer.height) "
            + "\(buffer.format) on the way; it is written as it was at first"
    }
}
