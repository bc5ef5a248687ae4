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

        init(planes: [Plane], owner: AnyObject) {
            self.planes = planes
            self.owner = owner
        }
    }

    /// Borrows a picture from `owner`, which keeps every plane's memory alive and unchanged for as long as it lives.
    ///
    /// `planes` lie in the order and with the sizes that `format` gives for `width` by `height`.
    public init(format: PixelFormat, width: Int, height: Int, planes: [Plane], owner: AnyObject) {
        precondition(width > 0 && height > 0, "a picture has at least one pixel")
        precondition(planes.count == format.planes.count, "\(format) has \(format.planes.count) planes")
        for (index, plane) in planes.enumerated() {
            let size = format.planeSize(index, width: width, height: height)
            precondition(plane.width == size.width && plane.height == size.height, "plane \(index) has the wrong size")
        }
        self.format = format
        self.width = width
        self.height = height
        self.memory = Memory(planes: planes, owner: owner)
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
}
