import Imaging

/// A part of an upright frame as a floating-point RGB picture, from which the inputs of the face networks are cut.
///
/// Places are index coordinates of the frame: the centre of its first pixel is (0, 0), y down. Keeps its working memory, and
/// is therefore for one thread at a time.
final class FramePatch {
    private let sampler = FrameSampler()
    private var pixels: [Float] = []
    private var width = 0
    private var height = 0
    private var fromFrame = AffineTransform.identity

    /// Takes in `rectangle` (by pixel edges) of `frame` at a size of `width` by `height` pixels; beyond the frame its border
    /// is repeated.
    func read(_ frame: VideoFrame, rectangle: Rectangle, width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        let (across, down) = (Double(width) / rectangle.width, Double(height) / rectangle.height)
        // Pixel edges are half a pixel before their centres, here and in the frame.
        fromFrame = AffineTransform(
            a: across, b: 0, tx: (0.5 - rectangle.x) * across - 0.5, c: 0, d: down,
            ty: (0.5 - rectangle.y) * down - 0.5)
        if pixels.count < 3 * width * height { pixels = Array(repeating: 0, count: 3 * width * height) }
        pixels.withUnsafeMutableBufferPointer {
            sampler.sample(frame, source: rectangle, width: width, height: height, into: $0)
        }
    }

    /// Writes the picture of `width` by `height` pixels whose pixel (i, j) lies at `map`(i, j) of the frame; beyond the patch
    /// its border is repeated.
    func cut(_ map: AffineTransform, into target: UnsafeMutableBufferPointer<Float>, width: Int, height: Int) {
        pixels.withUnsafeBufferPointer {
            AffineSampler.sample(
                $0, sourceWidth: self.width, sourceHeight: self.height, map: map.then(fromFrame), into: target,
                width: width, height: height)
        }
    }
}
