/// A mask at the size and siting of a frame's subsampled chroma.
///
/// Keeps its memory from one mask to the next, and is therefore for one thread at a time.
public struct AlphaPlane {
    private var rows = AlphaRows()
    private var values: [UInt8] = []
    private var width = 0
    private var height = 0

    public init() {}

    /// Takes `mask`, a `gray8` plane of the picture's size, at the `width` by `height` samples of a plane with `layout`.
    ///
    /// Each sample is a mean as `AlphaRows` makes it. Costs about as much as reading the mask once.
    public mutating func update(
        from mask: Plane, layout: PixelFormat.PlaneLayout, width: Int, height: Int,
        chromaLocation: ColorDescription.ChromaLocation, isInterlaced: Bool = false
    ) {
        (self.width, self.height) = (width, height)
        if values.count < width * height { values = Array(repeating: 0, count: width * height) }
        let single = layout.withOneComponent
        values.withUnsafeMutableBufferPointer { values in
            for y in 0..<height {
                let target = values.baseAddress! + y * width
                rows.withRow(
                    y, of: mask, layout: single, width: width, chromaLocation: chromaLocation,
                    isInterlaced: isInterlaced
                ) { row in
                    target.update(from: row, count: width)
                }
            }
        }
    }

    /// Calls `body` with one alpha for each sample; the plane is valid only during the call.
    public func withPlane<R>(_ body: (Plane) -> R) -> R {
        values.withUnsafeBufferPointer { values in
            body(Plane(base: values.baseAddress!, bytesPerRow: width, width: width, height: height))
        }
    }
}
