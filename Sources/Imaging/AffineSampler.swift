/// Reads an interleaved RGB picture at the points that an affine map gives: a rotated crop.
public enum AffineSampler {
    /// Writes `width` x `height` pixels; target pixel (i, j) reads the source at `map`(i, j), interpolated bilinearly between
    /// pixel centres at whole coordinates. Outside the source its border is repeated.
    ///
    /// Source and target hold three components a pixel, rows from the top without padding.
    public static func sample(
        _ source: UnsafeBufferPointer<Float>, sourceWidth: Int, sourceHeight: Int, map: AffineTransform,
        into target: UnsafeMutableBufferPointer<Float>, width: Int, height: Int
    ) {
        precondition(source.count >= 3 * sourceWidth * sourceHeight && target.count >= 3 * width * height)
        let input = source.baseAddress!
        let output = target.baseAddress!
        let (lastX, lastY) = (Float(sourceWidth - 1), Float(sourceHeight - 1))
        let (a, c) = (Float(map.a), Float(map.c))
        for j in 0..<height {
            let startX = Float(map.b * Double(j) + map.tx)
            let startY = Float(map.d * Double(j) + map.ty)
            for i in 0..<width {
                let x = min(max(startX + a * Float(i), 0), lastX)
                let y = min(max(startY + c * Float(i), 0), lastY)
                let (x0, y0) = (Int(x), Int(y))
                let (fx, fy) = (x - Float(x0), y - Float(y0))
                let right = x0 &+ 1 < sourceWidth ? 3 : 0
                let below = y0 &+ 1 < sourceHeight ? 3 &* sourceWidth : 0
                let pixel = input + 3 &* (y0 &* sourceWidth &+ x0)
                let out = output + 3 &* (j &* width &+ i)
                for component in 0..<3 {
                    let p = pixel + component
                    let upper = p[0] + (p[right] - p[0]) * fx
                    let lower = p[below] + (p[below &+ right] - p[below]) * fx
                    out[component] = upper + (lower - upper) * fy
                }
            }
        }
    }
}
