import Glibc
import Reading

/// Where a target's bytes lie while a file or a stream of them is read.
struct Scratch {
    private let folder: String

    /// A folder of this process's own in memory, which goes when the process exits, but not when it crashes.
    init(_ name: String) {
        folder = "/dev/shm/matte-fuzz-\(name)-\(getpid())"
        mkdir(folder, 0o700)
        let folder = folder
        Self.folders.append(folder)
        atexit { Scratch.removeFolders() }
    }

    nonisolated(unsafe) private static var folders: [String] = []

    private static func removeFolders() {
        for folder in folders {
            guard let stream = opendir(folder) else { continue }
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                unlink("\(folder)/\(name)")
            }
            rmdir(folder)
        }
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Writes the file `name` and returns its path.
    func write(_ bytes: some Collection<UInt8>, _ name: String) -> String {
        let path = path(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0, "can't write \(path): \(String(cString: strerror(errno)))")
        defer { close(descriptor) }
        let bytes = Array(bytes)
        precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "can't write \(path)")
        return path
    }
}
