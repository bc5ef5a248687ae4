/// A picture that exactly one owner is writing.
///
/// It can't be copied; `publish()` ends the writing and gives the picture to everybody as a `PixelBuffer`.
/// Rows start at multiples of 64 bytes, and at least 64 readable bytes follow the last row, as FFmpeg's codecs want.
public struct MutablePixelBuffer: ~Copyable {
    public let format: PixelFormat
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    private let block: MemoryBlock

    /// Allocates a picture of at least 1 by 1 pixels with undefined contents; in a frame loop take it from a `PixelBufferPool`
    /// instead.
    public init(format: PixelFormat, width: Int, height: Int) {
        let size = MemoryLayoutOfPlanes(format: format, width: width, height: height).byteCount
        self.init(format: format, width: width, height: height, block: MemoryBlock(byteCount: size, home: nil))
    }

    init(format: PixelFormat, width: Int, height: Int, block: MemoryBlock) {
        self.format = format
        self.width = width
        self.height = height
        self.block = block
    }

    private var planes: [MutablePlane] {
        let layout = MemoryLayoutOfPlanes(format: format, width: width, height: height)
        return layout.planes.map { plane in
            MutablePlane(
                base: block.base + plane.offset, bytesPerRow: plane.bytesPerRow, width: plane.width,
                height: plane.height)
        }
    }

    /// Calls `body` with the planes; they are valid only during the call.
    public mutating func withMutablePlanes<R, E: Error>(_ body: ([MutablePlane]) throws(E) -> R) throws(E) -> R {
        let planes = self.planes
        defer { withExtendedLifetime(block) {} }
        return try body(planes)
    }

    /// Calls `body` with plane `index`; it is valid only during the call.
    public mutating func withMutablePlane<R, E: Error>(
        _ index: Int, _ body: (MutablePlane) throws(E) -> R
    ) throws(E) -> R {
        let plane = self.planes[index]
        defer { withExtendedLifetime(block) {} }
        return try body(plane)
    }

    /// Ends the writing: the picture is immutable from here on.
    public consuming func publish() -> PixelBuffer {
        PixelBuffer(
            format: format, width: width, height: height, planes: planes.map(\.readOnly), owner: block, isPadded: true)
    }
}

/// Where each plane of a picture lies in one block of memory.
struct MemoryLayoutOfPlanes {
    struct PlanePlacement {
        let offset: Int
        let bytesPerRow: Int
        let width: Int
        let height: Int
    }

    static let alignment = 64

    let planes: [PlanePlacement]
    let byteCount: Int

    init(format: PixelFormat, width: Int, height: Int) {
        precondition(width > 0 && height > 0, "a picture has at least one pixel")
        var offset = 0
        var placements: [PlanePlacement] = []
        for index in format.planes.indices {
            let size = format.planeSize(index, width: width, height: height)
            let rowBytes = size.width * format.planes[index].componentCount * format.bytesPerComponent
            let bytesPerRow = (rowBytes + Self.alignment - 1) / Self.alignment * Self.alignment
            placements.append(
                PlanePlacement(offset: offset, bytesPerRow: bytesPerRow, width: size.width, height: size.height))
            offset += bytesPerRow * size.height
        }
        planes = placements
        byteCount = offset + Self.alignment
    }
}
