import Imaging

/// Which part of the picture comes out; numbers that can't be meant count as the nearest that can.
public enum Framing: Hashable, Sendable {
    /// All of it.
    case whole
    /// This rectangle of the picture as it is shown, in pixels; sides are rounded to what the format can hold.
    case region(Rectangle)
    /// The largest part from the middle that has this aspect, width over height as shown; nil for all.
    case middle(aspect: Double?)
    /// What the people need, followed smoothly and shown at one size; the aspect is width over height as shown, nil for the
    /// picture's own.
    case follow(aspect: Double?)

    /// The largest size of an aspect that fits into a frame, upright, in pixels.
    static func size(aspect: Double?, of frame: VideoFrame) -> (width: Int, height: Int) {
        let (width, height) = frame.uprightSize
        guard let aspect else { return (width, height) }
        let ratio = aspect / frame.uprightPixelAspect
        let fitted =
            ratio < Double(width) / Double(height)
            ? (Double(height) * ratio, Double(height)) : (Double(width), Double(width) / ratio)
        return Self.size(fitted.0, fitted.1, of: frame)
    }

    /// A size of at most `width` by `height` that whole chroma samples of both fields of an interlaced picture make up; all of
    /// the frame where that is asked for.
    static func size(_ width: Double, _ height: Double, of frame: VideoFrame) -> (width: Int, height: Int) {
        let whole = frame.uprightSize
        if width > Double(whole.width) - 1, height > Double(whole.height) - 1 { return whole }
        return (side(width, of: whole.width), side(height, of: whole.height))
    }

    // With the bound first, which is what comes of no number.
    private static func side(_ length: Double, of whole: Int) -> Int {
        max(Int(min(max(0, length), Double(whole))) / 4 * 4, min(4, whole))
    }
}

extension VideoFrame {
    /// The rectangle of the upright picture that `region` of the stored one is, in pixels.
    func upright(_ region: Rectangle) -> Rectangle { region.applying(uprightToStored.inverse) }
}
