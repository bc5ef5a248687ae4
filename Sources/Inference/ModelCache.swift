import Glibc

/// A folder that keeps compiled models between runs, each in a file whose name is the hash of all that it was made of.
///
/// Whatever is wrong with it costs time and nothing else: a file that is not to the last bit what was written under its name
/// is not there, and is replaced by the next one that is kept. Files appear complete or not at all, so that several programs
/// may share the folder. What is in it is as good as code: the folder and the files belong to this user, and nobody else may
/// write there, or they are not used.
package struct ModelCache {
    /// Bytes of all files together; those that were not used for longest give way.
    static let standardLimit = 256 << 20

    /// Seconds after which an unfinished file is one whose writer was killed.
    private static let abandonedAge = 3600

    private static let suffix = ".blob"
    private static let temporaryPrefix = ".partial-"

    private let folder: FolderDescriptor
    private let limit: Int

    /// The cache in `directory`, which is made if it is missing; nil where it can't be made or is not to be trusted.
    init?(directory: String, limit: Int = standardLimit) {
        self.limit = limit
        Self.makeFolders(directory)
        guard let folder = FolderDescriptor(path: directory), Self.isTrusted(folder.number, kind: S_IFDIR) else {
            return nil
        }
        self.folder = folder
    }

    /// Keeps a folder open, so that it stays the one that was looked at.
    private final class FolderDescriptor {
        let number: CInt

        init?(path: String) {
            number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard number >= 0 else { return nil }
        }

        deinit { close(number) }

        /// The names in it.
        var names: [String] {
            guard let stream = fdopendir(openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else { return [] }
            defer { closedir(stream) }
            var names: [String] = []
            while let entry = readdir(stream) {
                names.append(
                    withUnsafePointer(to: &entry.pointee.d_name) { name in
                        String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
                    })
            }
            return names
        }
    }

    /// Why the folder at `directory` is not used as a cache, in one clause; nil for one that is used, or not there yet and can be
    /// made when it is needed.
    package static func problem(of directory: String) -> String? {
        var status = stat()
        guard stat(directory, &status) == 0 else { return missingProblem(directory) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "it is not a folder" }
        guard status.st_uid == geteuid() else { return "it belongs to another user" }
        guard status.st_mode & 0o022 == 0 else { return "others may write there" }
        return access(directory, R_OK | W_OK | X_OK) == 0 ? nil : "it can't be written to"
    }

    private static func missingProblem(_ directory: String) -> String? {
        guard errno == ENOENT else { return String(cString: strerror(errno)).lowercased() }
        var parent = directory[...]
        while access(String(parent), F_OK) != 0, parent != "/", parent != "." {
            let slash = parent.lastIndex(of: "/")
            parent = slash.map { $0 == parent.startIndex ? "/" : parent[..<$0] } ?? "."
        }
        return access(String(parent), W_OK | X_OK) == 0 ? nil : "it can't be made in '\(parent)'"
    }

    /// The bytes of all compiled models in `directory`, and how many there are.
    package static func size(of directory: String) -> (bytes: Int, files: Int) {
        guard let folder = FolderDescriptor(path: directory) else { return (0, 0) }
        let sizes = folder.names.filter { $0.hasSuffix(suffix) }.map { name -> Int in
            var status = stat()
            return fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? Int(status.st_size) : 0
        }
        return (sizes.reduce(0, +), sizes.count)
    }

    // For this user alone, as the XDG Base Directory Specification has it.
    private static func makeFolders(_ path: String) {
        for index in path.indices.dropFirst() where path[index] == "/" { mkdir(String(path[..<index]), 0o700) }
        mkdir(path, 0o700)
    }

    private static func isTrusted(_ descriptor: CInt, kind: mode_t) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == kind && status.st_uid == geteuid()
            && status.st_mode & 0o022 == 0
    }

    private static func name(_ key: UInt64) -> String {
        let digits = String(key, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + suffix
    }

    /// A file ends with the hash of what is before it, begun with its key.
    private static func seal(_ blob: UnsafeRawBufferPointer, key: UInt64) -> UInt64 {
        var hash = ContentHash(seed: key)
        hash.add(blob)
        return hash.value.littleEndian
    }

    /// A compiled model's bytes in memory of their own, so that they stay what they were when they were looked at.
    final class Blob {
        private let memory: UnsafeMutableRawBufferPointer
        let bytes: UnsafeRawBufferPointer

        /// All of `file` but its seal.
        fileprivate init(_ file: MappedFile) {
            memory = .allocate(byteCount: file.count, alignment: 4096)
            file.withBytes(memory.copyMemory)
            bytes = UnsafeRawBufferPointer(rebasing: memory.dropLast(8))
        }

        fileprivate var seal: UInt64 { memory.loadUnaligned(fromByteOffset: bytes.count, as: UInt64.self) }

        deinit { memory.deallocate() }
    }

    /// The compiled model that was kept under `key`, if there is a sound one.
    func blob(_ key: UInt64) -> Blob? {
        let descriptor = openat(folder.number, Self.name(key), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard Self.isTrusted(descriptor, kind: S_IFREG), let file = MappedFile(descriptor: descriptor),
            file.count > 8
        else { return nil }
        let blob = Blob(file)
        guard blob.seal == Self.seal(blob.bytes, key: key) else { return nil }
        // The time of change tells when it was used last.
        futimens(descriptor, nil)
        return blob
    }

    /// Keeps a compiled model under `key`, in the place of one that is there.
    func keep(_ blob: UnsafeRawBufferPointer, _ key: UInt64) {
        var seal = Self.seal(blob, key: key)
        let temporary = "\(Self.temporaryPrefix)\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let descriptor = openat(folder.number, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let isWritten = withUnsafeBytes(of: &seal) { seal in
            Self.write(blob, to: descriptor) && Self.write(seal, to: descriptor)
        }
        guard close(descriptor) == 0, isWritten,
            renameat(folder.number, temporary, folder.number, Self.name(key)) == 0
        else {
            unlinkat(folder.number, temporary, 0)
            return
        }
        tidy(keeping: Self.name(key))
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
        var rest = bytes[...]
        while let base = rest.base.baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, base + rest.startIndex, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Removes what was not used for longest, beyond the limit, and what a writer that was killed has left.
    private func tidy(keeping name: String) {
        let now = time(nil)
        var files: [(name: String, size: Int, used: timespec)] = []
        for name in folder.names {
            var status = stat()
            guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG
            else { continue }
            if name.hasSuffix(Self.suffix) {
                files.append((name, Int(status.st_size), status.st_mtim))
            } else if name.hasPrefix(Self.temporaryPrefix), now - status.st_mtim.tv_sec > Self.abandonedAge {
                unlinkat(folder.number, name, 0)
            }
        }
        var size = files.reduce(0) { $0 + $1.size }
        files.sort { ($0.used.tv_sec, $0.used.tv_nsec) < ($1.used.tv_sec, $1.used.tv_nsec) }
        for file in files where size > limit && file.name != name {
            unlinkat(folder.number, file.name, 0)
            size -= file.size
        }
    }
}
