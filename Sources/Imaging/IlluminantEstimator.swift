import Glibc

/// Tells a picture's light by the Minkowski mean of its pixels, of the sixth order, which is about gray in white light ("shades of
/// gray": Finlayson and Trezzi, "Shades of Gray and Colour Constancy", 2004).
///
/// It looks at 64 by 36 points, at a cost that does not grow with the picture. Keeps its working memory, and is therefore for one
/// thread at a time.
package final class IlluminantEstimator {
    private static let (columns, rows) = (64, 36)

    private var components = ComponentMaps()
    private var colors = [Float](repeating: 0, count: 3 * columns * rows)

    package init() {}

    /// The light of all of `frame`; nil where it is black.
    package func illuminant(of frame: VideoFrame) -> Illuminant? {
        let (columns, rows) = (Self.columns, Self.rows)
        components.resize(columns * rows)
        components.withPointers { components in
            sample(frame, into: components)
            colors.withUnsafeMutableBufferPointer {
                ColorConversion(of: frame).writeRGB(
                    components, walk: StoredWalk(.up, width: columns, height: rows), into: $0.baseAddress!,
                    width: columns, height: rows)
            }
        }
        var sums = SIMD3<Float>.zero
        for i in stride(from: 0, to: colors.count, by: 3) {
            let color = SIMD3(colors[i], colors[i + 1], colors[i + 2]).clamped(lowerBound: .zero, upperBound: .one)
            let cube = color * color * color
            sums += cube * cube
        }
        guard sums.sum() > 0 else { return nil }
        let means = sums / Float(columns * rows)
        return Illuminant(red: pow(means.x, 1 / 6), green: pow(means.y, 1 / 6), blue: pow(means.z, 1 / 6))
    }

    // As the frame is stored: which way up it is shown is no matter.
    private func sample(_ frame: VideoFrame, into components: [UnsafeMutablePointer<Float>]) {
        let buffer = frame.pixelBuffer
        let toFrame = AffineTransform.shift(0.5, 0.5)
            .then(.scale(Double(buffer.width) / Double(Self.columns), Double(buffer.height) / Double(Self.rows)))
        var next = 0
        buffer.withPlanes { planes in
            for (index, layout) in buffer.format.planes.enumerated() {
                let map = toFrame.then(layout.toPlane(frame.color.chromaLocation)).then(.shift(-0.5, -0.5))
                for component in buffer.format.colorComponents(ofPlane: index) {
                    AffineSampler.sample(
                        planes[index], of: buffer.format, step: layout.componentCount, component: component, map: map,
                        into: components[next], width: Self.columns, height: Self.rows)
                    next += 1
                }
            }
        }
    }
}
