import Glibc

/// The bytes of a file that is not empty, for reading.
final class MappedFile {
    let bytes: UnsafeRawBufferPointer

    /// The file of an open descriptor, which stays the caller's; nil where it is none, is empty or can't be mapped.
    init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
            let base = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED
        else { return nil }
        bytes = UnsafeRawBufferPointer(start: base, count: Int(status.st_size))
    }

    convenience init?(path: String) {
        // A model may name anything as a file of its own; a FIFO would be waited for.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        self.init(descriptor: descriptor)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
