/// A picture in memory that nobody writes any more.
///
/// Copying the value shares the memory; the memory goes back to its lender (a decoder or a pool) with the last copy.
/// Safe to read from several threads at once.
public struct PixelBuffer: Sendable {
    public let format: PixelFormat
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    private let memory: Memory

    // The pointers are read-only from here on, and `owner` keeps what they point to alive and unchanged.
    private final class Memory: @unchecked Sendable {
        let planes: [Plane]
        let owner: AnyObject
        let isPadded: Bool

        init(planes: [Plane], owner: AnyObject, isPadded: Bool) {
            self.planes = planes
            self.owner = owner
            self.isPadded = isPadded
        }
    }

    /// Whether bytes beyond the planes may be read, as FFmpeg does.
    package var isPadded: Bool { memory.isPadded }

    /// Borrows a picture from `owner`, which keeps every plane's memory alive and unchanged for as long as it lives.
    ///
    /// `planes` lie in the order and with the sizes that `format` gives for `width` by `height`; their rows may lie apart, but
    /// don't overlap. Other planes are a caller's mistake, and trap.
    public init(format: PixelFormat, width: Int, height: Int, planes: [Plane], owner: AnyObject) {
        self.init(format: format, width: width, height: height, planes: planes, owner: owner, isPadded: false)
    }

    /// The same; `isPadded` tells that at least 64 readable bytes follow each plane.
    package init(
        format: PixelFormat, width: Int, height: Int, planes: [Plane], owner: AnyObject, isPadded: Bool
    ) {
        precondition(width > 0 && height > 0, "a picture has at least one pixel")
        precondition(planes.count == format.planes.count, "\(format) has \(format.planes.count) planes")
        for (index, plane) in planes.enumerated() {
            let size = format.planeSize(index, width: width, height: height)
            precondition(plane.width == size.width && plane.height == size.height, "plane \(index) has the wrong size")
            let rowBytes = size.width * format.planes[index].componentCount * format.bytesPerComponent
            precondition(size.height == 1 || abs(plane.bytesPerRow) >= rowBytes, "rows of plane \(index) overlap")
        }
        self.format = format
        self.width = width
        self.height = height
        self.memory = Memory(planes: planes, owner: owner, isPadded: isPadded)
    }

    /// Calls `body` with the planes; they are valid only during the call.
    public func withPlanes<R, E: Error>(_ body: ([Plane]) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(memory) {} }
        return try body(memory.planes)
    }

    /// Calls `body` with plane `index`; it is valid only during the call.
    public func withPlane<R, E: Error>(_ index: Int, _ body: (Plane) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(memory) {} }
        return try body(memory.planes[index])
    }

    /// The part whose upper left pixel is (x, y), in the same memory; x and y fall on whole chroma samples.
    public func cropped(x: Int, y: Int, width: Int, height: Int) -> PixelBuffer {
        guard x != 0 || y != 0 || width != self.width || height != self.height else { return self }
        precondition(x >= 0 && y >= 0, "the part lies inside")
        precondition(x + width <= self.width && y + height <= self.height, "the part lies inside")
        let planes = format.planes.indices.map { index in
            let (layout, plane) = (format.planes[index], memory.planes[index])
            precondition(x & ((1 << layout.horizontalShift) - 1) == 0, "the part begins with a whole chroma sample")
            precondition(y & ((1 << layout.verticalShift) - 1) == 0, "the part begins with a whole chroma sample")
            let size = format.planeSize(index, width: width, height: height)
            let offset =
                (y >> layout.verticalShift) * plane.bytesPerRow
                + (x >> layout.horizontalShift) * layout.componentCount * format.bytesPerComponent
            return Plane(
                base: plane.base + offset, bytesPerRow: plane.bytesPerRow, width: size.width, height: size.height)
        }
        return PixelBuffer(
            format: format, width: width, height: height, planes: planes, owner: memory, isPadded: isPadded)
    }

    /// The first plane alone as a picture in `format`, a gray one of the same depth, in the same memory.
    public func luma(as format: PixelFormat) -> PixelBuffer {
        precondition(format.colorModel == .gray && self.format.colorModel != .rgb, "only gray is luma alone")
        precondition(format.bitDepth == self.format.bitDepth, "both have one depth")
        return PixelBuffer(
            format: format, width: width, height: height, planes: [memory.planes[0]], owner: memory,
            isPadded: isPadded)
    }
}
