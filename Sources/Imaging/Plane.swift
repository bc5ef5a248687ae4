/// A read-only view of one plane's samples, valid only inside the closure that it was handed to.
public struct Plane {
    /// The first byte of the first row.
    public let base: UnsafeRawPointer
    /// Distance between the first bytes of two rows; negative where rows lie bottom up.
    public let bytesPerRow: Int
    /// Samples in a row; a sample holds `layout.componentCount` components.
    public let width: Int
    /// Rows.
    public let height: Int

    public init(base: UnsafeRawPointer, bytesPerRow: Int, width: Int, height: Int) {
        self.base = base
        self.bytesPerRow = bytesPerRow
        self.width = width
        self.height = height
    }

    /// The start of row `y` as components of type `T`; the caller keeps `y` inside the plane.
    @inlinable @inline(__always)
    public func row<T>(_ y: Int, as type: T.Type) -> UnsafePointer<T> {
        (base + y &* bytesPerRow).assumingMemoryBound(to: type)
    }

    /// Some of its rows, which are inside the plane.
    public func rows(_ rows: Range<Int>) -> Plane {
        Plane(base: base + rows.lowerBound * bytesPerRow, bytesPerRow: bytesPerRow, width: width, height: rows.count)
    }

    /// The rows of one field, the first of which is `first`: 0 or 1.
    func everyOtherRow(from first: Int) -> Plane {
        Plane(
            base: base + first * bytesPerRow, bytesPerRow: 2 * bytesPerRow, width: width,
            height: (height + 1 - first) / 2)
    }
}

/// A writable view of one plane's samples, valid only inside the closure that it was handed to.
public struct MutablePlane {
    /// The first byte of the first row.
    public let base: UnsafeMutableRawPointer
    /// Distance between the first bytes of two rows.
    public let bytesPerRow: Int
    /// Samples in a row; a sample holds `layout.componentCount` components.
    public let width: Int
    /// Rows.
    public let height: Int

    public init(base: UnsafeMutableRawPointer, bytesPerRow: Int, width: Int, height: Int) {
        self.base = base
        self.bytesPerRow = bytesPerRow
        self.width = width
        self.height = height
    }

    /// The start of row `y` as components of type `T`; the caller keeps `y` inside the plane.
    @inlinable @inline(__always)
    public func row<T>(_ y: Int, as type: T.Type) -> UnsafeMutablePointer<T> {
        (base + y &* bytesPerRow).assumingMemoryBound(to: type)
    }

    /// The rows of one field, the first of which is `first`: 0 or 1.
    func everyOtherRow(from first: Int) -> MutablePlane {
        MutablePlane(
            base: base + first * bytesPerRow, bytesPerRow: 2 * bytesPerRow, width: width,
            height: (height + 1 - first) / 2)
    }

    /// The same samples, read-only.
    public var readOnly: Plane { Plane(base: base, bytesPerRow: bytesPerRow, width: width, height: height) }
}
