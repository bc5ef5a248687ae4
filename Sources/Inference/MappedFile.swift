import Glibc

/// The bytes of a regular file, for reading.
package final class MappedFile {
    /// Why a file can't be read: one clause.
    package struct Problem: Error, Hashable {
        package let cause: String
        /// Whether there is no such file, or it may not be read.
        package let isMissing: Bool
    }

    private let bytes: UnsafeRawBufferPointer

    /// The file's size in bytes.
    package var count: Int { bytes.count }

    /// Calls `body` with the bytes; they are valid only during the call.
    package func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(self) {} }
        return try body(bytes)
    }

    /// The file of an open descriptor, which stays the caller's; nil where it is empty, no regular file, or can't be mapped.
    init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let bytes = Self.map(descriptor, size: Int(status.st_size))
        else { return nil }
        self.bytes = bytes
    }

    /// The file at `path`, which holds 1 to `limit` bytes; never waits for what is no regular file.
    package init(path: String, limit: Int) throws(Problem) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw Problem(cause: Self.errorText, isMissing: true)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            throw Problem(cause: isFolder ? "it is a folder" : "it is not a regular file", isMissing: false)
        }
        guard status.st_size > 0 else { throw Problem(cause: "it is empty", isMissing: false) }
        guard status.st_size <= limit else {
            throw Problem(cause: "it is larger than \(limit >> 20) MB", isMissing: false)
        }
        guard let bytes = Self.map(descriptor, size: Int(status.st_size)) else {
            throw Problem(cause: Self.errorText, isMissing: true)
        }
        self.bytes = bytes
    }

    private static func map(_ descriptor: CInt, size: Int) -> UnsafeRawBufferPointer? {
        guard size > 0, let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED else {
            return nil
        }
        return UnsafeRawBufferPointer(start: base, count: size)
    }

    private static var errorText: String { String(cString: strerror(errno)).lowercased() }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
