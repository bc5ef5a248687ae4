/// Brings a small RGB picture to another size: the mean over the area that a pixel covers where it shrinks, linear where it
/// grows, sample centres aligned.
///
/// Keeps its working memory, and is therefore for one thread at a time.
public final class RGBResampler {
    private var horizontal: ResampleTaps?
    private var vertical: ResampleTaps?
    private var size = (width: 0, height: 0)
    private var row: [Float] = []

    public init() {}

    /// Fills `target`, at the size that it has, with `source`.
    public func resample(_ source: RGBMap, into target: inout RGBMap) {
        let (horizontal, vertical) = taps(source, target)
        let (span, columns) = (3 * source.width, target.width)
        // Pixels are read by four numbers, the last one too.
        if row.count != span + 1 { row = Array(repeating: 0, count: span + 1) }
        source.values.withUnsafeBufferPointer { source in
            target.values.withUnsafeMutableBufferPointer { target in
                row.withUnsafeMutableBufferPointer { row in
                    let row = row.baseAddress!
                    for y in vertical.starts.indices {
                        row.update(repeating: 0, count: span)
                        for tap in 0..<vertical.tapCount {
                            let weight = vertical.weights[y * vertical.tapCount + tap]
                            if weight == 0 { continue }
                            let line = source.baseAddress! + (vertical.starts[y] + tap) * span
                            for x in 0..<span { row[x] += weight * line[x] }
                        }
                        Self.gather(row, horizontal, into: target.baseAddress! + 3 * y * columns)
                    }
                }
            }
        }
    }

    private static func gather(
        _ row: UnsafePointer<Float>, _ taps: ResampleTaps, into target: UnsafeMutablePointer<Float>
    ) {
        taps.weights.withUnsafeBufferPointer { weights in
            for x in taps.starts.indices {
                var sum = SIMD4<Float>.zero
                let source = row + 3 &* taps.starts[x]
                for tap in 0..<taps.tapCount {
                    let pixel = UnsafeRawPointer(source + 3 &* tap).loadUnaligned(as: SIMD4<Float>.self)
                    sum += weights[x &* taps.tapCount &+ tap] * pixel
                }
                for component in 0..<3 { target[3 &* x &+ component] = sum[component] }
            }
        }
    }

    private func taps(_ source: RGBMap, _ target: RGBMap) -> (horizontal: ResampleTaps, vertical: ResampleTaps) {
        if let horizontal, let vertical, size == (source.width, source.height),
            horizontal.starts.count == target.width, vertical.starts.count == target.height
        {
            return (horizontal, vertical)
        }
        size = (source.width, source.height)
        let made = (
            horizontal: ResampleTaps(
                origin: 0, length: Double(source.width), count: target.width, limit: source.width),
            vertical: ResampleTaps(
                origin: 0, length: Double(source.height), count: target.height, limit: source.height)
        )
        (horizontal, vertical) = made
        return made
    }
}
