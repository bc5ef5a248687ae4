import Glibc

/// What the file system says about a path, links followed.
struct LocalFile {
    let isDirectory: Bool
    let isRegular: Bool
    let size: Int64
    private let device: UInt64
    private let inode: UInt64

    /// nil with `errno` set where nothing can be found at `path`.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isRegular = status.st_mode & S_IFMT == S_IFREG
        size = Int64(status.st_size)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Whether both are one file, under whatever names.
    func isSame(as other: LocalFile) -> Bool { device == other.device && inode == other.inode }

    /// The folder part of `path`, "." for a bare name.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The system's words for `errno`.
    static var lastErrorText: String { String(cString: strerror(errno)) }

    /// Waits until the file's bytes are on the disk.
    static func synchronize(_ path: String) throws(AVError) {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw AVError(code: -errno) }
        defer { close(descriptor) }
        // A file system that can't do it says EINVAL; there is nothing to wait for then.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw AVError(code: -errno) }
    }
}
