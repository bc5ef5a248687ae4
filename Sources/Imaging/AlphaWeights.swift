/// How much the samples of a plane count by the alpha of their pixels, in the units of its components.
///
/// Keeps its memory, and is therefore for one thread at a time.
struct AlphaWeights {
    private var values: [Float] = []
    private var width = 0
    private var height = 0

    /// Takes the mean alpha of the pixels that each of the `width` by `height` samples of a plane with `layout` stands for; in an
    /// interlaced picture they are of its own field.
    mutating func update<T: PixelComponent>(
        _ planes: [Plane], _ format: PixelFormat, _ layout: PixelFormat.PlaneLayout, width: Int, height: Int,
        isInterlaced: Bool, _ type: T.Type
    ) {
        (self.width, self.height) = (width, height)
        let alpha = planes[format.hasPackedAlpha ? 0 : 3]
        let (step, first) = format.hasPackedAlpha ? (4, 3) : (1, 0)
        let (across, down) = (1 << layout.horizontalShift, 1 << layout.verticalShift)
        if values.count < width * height { values = Array(repeating: 0, count: width * height) }
        for y in 0..<height {
            for x in 0..<width { values[y * width + x] = 0 }
            let fields = isInterlaced && down > 1 ? 2 : 1
            let top = y / fields * down * fields + y % fields
            let end = min(top + down * fields, alpha.height)
            let rowCount = (end - top + fields - 1) / fields
            for row in stride(from: top, to: end, by: fields) {
                let row = alpha.row(row, as: type) + first
                for x in 0..<width {
                    let columns = x * across..<min((x + 1) * across, alpha.width)
                    var sum: Float = 0
                    for column in columns { sum += Float(row[column * step]) }
                    values[y * width + x] += sum / Float(columns.count * rowCount)
                }
            }
        }
    }

    /// The plane of weights, of `Float`, valid only during the call.
    func withPlane(_ body: (Plane) -> Void) {
        values.withUnsafeBytes {
            body(
                Plane(
                    base: $0.baseAddress!, bytesPerRow: width * MemoryLayout<Float>.stride, width: width, height: height
                ))
        }
    }
}
