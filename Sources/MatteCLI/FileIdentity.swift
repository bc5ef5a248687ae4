import Glibc

/// Which file a path leads to, whatever it is called.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// nil where there is nothing at `path`.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
