import Imaging

/// Which part of the picture comes out.
public enum Framing: Hashable, Sendable {
    /// All of it.
    case whole
    /// This rectangle of the picture as it is shown, in pixels; sides are rounded to what the format can hold.
    case region(Rectangle)
    /// What the people need, followed smoothly and shown at one size; the aspect is width over height as shown, nil for the
    /// picture's own.
    case follow(aspect: Double?)

    /// The largest size of an aspect that fits into a frame, upright, in pixels; even, as subsampled chroma wants.
    static func size(aspect: Double?, of frame: VideoFrame) -> (width: Int, height: Int) {
        let (width, height) = frame.uprightSize
        guard let aspect else { return (width, height) }
        let ratio = aspect / frame.uprightPixelAspect
        let fitted =
            ratio < Double(width) / Double(height)
            ? (Double(height) * ratio, Double(height)) : (Double(width), Double(width) / ratio)
        return (Self.even(fitted.0, limit: width), Self.even(fitted.1, limit: height))
    }

    static func even(_ length: Double, limit: Int) -> Int {
        let rounded = Int((length / 2).rounded()) * 2
        return max(min(rounded, limit), min(2, limit))
    }
}

extension VideoFrame {
    /// Width of a pixel over its height, as shown; 1 where it is not known.
    var uprightPixelAspect: Double {
        guard sampleAspectRatio.isKnown else { return 1 }
        return orientation.swapsAxes ? 1 / sampleAspectRatio.value : sampleAspectRatio.value
    }

    /// The rectangle of the stored picture that `region` of the upright one is, in pixels.
    func stored(_ region: Rectangle) -> Rectangle {
        let (width, height) = uprightSize
        return region.applying(
            AffineTransform.scale(1 / Double(width), 1 / Double(height)).then(orientation.uprightToStored)
                .then(.scale(Double(pixelBuffer.width), Double(pixelBuffer.height))))
    }

    /// The rectangle of the upright picture that `region` of the stored one is, in pixels.
    func upright(_ region: Rectangle) -> Rectangle {
        let (width, height) = uprightSize
        return region.applying(
            AffineTransform.scale(1 / Double(pixelBuffer.width), 1 / Double(pixelBuffer.height))
                .then(orientation.uprightToStored.inverse).then(.scale(Double(width), Double(height))))
    }
}
