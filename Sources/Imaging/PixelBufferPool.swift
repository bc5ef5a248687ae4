import Synchronization

/// Memory for pictures, used again when the last reader lets go.
///
/// In the steady state no allocation of pixel size happens per frame: a picture's memory comes back to the pool when the last
/// `PixelBuffer` that shares it goes away, on whatever thread that is. Safe to use from several threads at once.
public final class PixelBufferPool: Sendable {
    private let shelf = MemoryShelf()

    public init() {}

    /// A picture of at least 1 by 1 pixels with undefined contents.
    public func makeBuffer(format: PixelFormat, width: Int, height: Int) -> MutablePixelBuffer {
        let byteCount = MemoryLayoutOfPlanes(format: format, width: width, height: height).byteCount
        let block = shelf.take(byteCount: byteCount) ?? MemoryBlock(byteCount: byteCount, home: shelf)
        return MutablePixelBuffer(format: format, width: width, height: height, block: block)
    }
}

/// One allocation; its owner alone decides whether it is being written or shared read-only, hence `@unchecked Sendable`.
final class MemoryBlock: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let byteCount: Int
    private let home: MemoryShelf?

    init(byteCount: Int, home: MemoryShelf?) {
        self.base = .allocate(byteCount: byteCount, alignment: MemoryLayoutOfPlanes.alignment)
        self.byteCount = byteCount
        self.home = home
    }

    fileprivate init(base: UnsafeMutableRawPointer, byteCount: Int, home: MemoryShelf) {
        self.base = base
        self.byteCount = byteCount
        self.home = home
    }

    deinit {
        if home?.put(base, byteCount: byteCount) != true { base.deallocate() }
    }
}

/// The free memory of a pool: allocations of the one size that is in use now.
final class MemoryShelf: Sendable {
    // Pointers to memory that nobody else knows, hence safe to hand over.
    private struct Free: @unchecked Sendable {
        var byteCount = 0
        var bases: [UnsafeMutableRawPointer] = []
    }

    /// More than a pipeline's queues hold; what comes back beyond it is freed.
    private static let capacity = 16
    private let free = Mutex(Free())

    func take(byteCount: Int) -> MemoryBlock? {
        free.withLock { free in
            if free.byteCount != byteCount {
                for base in free.bases { base.deallocate() }
                free.bases.removeAll(keepingCapacity: true)
                free.byteCount = byteCount
            }
            guard let base = free.bases.popLast() else { return nil }
            return MemoryBlock(base: base, byteCount: byteCount, home: self)
        }
    }

    func put(_ base: UnsafeMutableRawPointer, byteCount: Int) -> Bool {
        free.withLock { free in
            guard free.byteCount == byteCount, free.bases.count < Self.capacity else { return false }
            free.bases.append(base)
            return true
        }
    }

    deinit {
        free.withLock { free in
            for base in free.bases { base.deallocate() }
        }
    }
}
