import Imaging

/// The people's colours as a network gave them, in a frame's own components, for its soft edges.
///
/// Keeps its working memory, and is therefore for one thread at a time.
final class GivenForeground {
    private var alphaRows = AlphaRows()
    // One for each component of each plane.
    private var enlargers: [[MapEnlarger]] = []
    private var line: [Float] = []
    // One for each component.
    private var maps = [ScalarMap](repeating: ScalarMap(width: 1, height: 1), count: 3)
    private var stored = [ScalarMap](repeating: ScalarMap(width: 1, height: 1), count: 3)

    /// Takes `colors`, upright and of the whole picture, for `frame`.
    func prepare(_ colors: RGBMap, for frame: VideoFrame) {
        let buffer = frame.pixelBuffer
        let conversion = ColorConversion(of: frame)
        for component in 0..<3 { maps[component].resize(width: colors.width, height: colors.height) }
        for i in maps[0].values.indices {
            let (red, green, blue) = (colors.values[3 * i], colors.values[3 * i + 1], colors.values[3 * i + 2])
            let codes = conversion.exactCodeValues(red: red, green: green, blue: blue)
            for component in 0..<3 { maps[component].values[i] = codes[component] }
        }
        for component in 0..<3 { stored[component].copy(maps[component], storedAs: frame.orientation) }
        // A fourth component is alpha, and not among them.
        let components = buffer.format.planes.indices.map { buffer.format.codeIndices(ofPlane: $0).compactMap(\.self) }
        if enlargers.map(\.count) != components.map(\.count) {
            enlargers = components.map { $0.map { _ in MapEnlarger() } }
        }
        for (plane, components) in components.enumerated() {
            let size = buffer.format.planeSize(plane, width: buffer.width, height: buffer.height)
            for (enlarger, component) in zip(enlargers[plane], components) {
                enlarger.prepare(stored[component], width: size.width, height: size.height)
            }
        }
        if line.count != buffer.width { line = Array(repeating: 0, count: buffer.width) }
    }

    /// Calls `body` with every row of `source`, plane `plane` of the frame, from the top: its number, the components with the
    /// given colours where alpha is neither 0 nor 255, and the alpha of each.
    func forEachRow<T: PixelComponent>(
        of source: PlaneSeparator.Source<T>, plane: Int, _ body: (Int, UnsafePointer<T>, UnsafePointer<UInt8>) -> Void
    ) {
        let (width, components) = (source.samples.width, source.componentCount)
        withUnsafeTemporaryAllocation(of: T.self, capacity: width * components) { row in
            let row = row.baseAddress!
            for y in 0..<source.samples.height {
                alphaRows.withRepeated(source.alpha.row(y, as: UInt8.self), width: width, components) { alpha in
                    row.update(from: source.row(y), count: width * components)
                    for (component, enlarger) in enlargers[plane].enumerated() {
                        line.withUnsafeMutableBufferPointer { line in
                            enlarger.row(y, into: line.baseAddress!)
                            Self.replace(
                                row + component, step: components, with: line.baseAddress!, alpha: alpha + component,
                                peak: source.peak, count: width)
                        }
                    }
                    body(y, row, alpha)
                }
            }
        }
    }

    private static func replace<T: PixelComponent>(
        _ row: UnsafeMutablePointer<T>, step: Int, with values: UnsafePointer<Float>, alpha: UnsafePointer<UInt8>,
        peak: T, count: Int
    ) {
        for x in 0..<count where alpha[x &* step] > 0 && alpha[x &* step] < 255 {
            // In this order what is no number becomes 0.
            row[x &* step] = T(min(max(0, values[x].rounded()), Float(peak)))
        }
    }
}
