import Imaging

/// Lengths as they are shown, in heights of pixels that are `pixelAspect` times as wide as high.
extension Rectangle {
    func longerSide(pixelAspect: Double) -> Double { max(width * pixelAspect, height) }

    /// The rectangle with `length` more on all sides.
    func grown(by length: Double, pixelAspect: Double) -> Rectangle {
        let across = length / pixelAspect
        return Rectangle(x: x - across, y: y - length, width: width + 2 * across, height: height + 2 * length)
    }
}
