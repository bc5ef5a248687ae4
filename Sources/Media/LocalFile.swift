import CV4L2
import Glibc

/// What the file system says about a path, links followed.
package struct LocalFile {
    /// Which file it is, whatever it is called.
    package struct Identity: Hashable {
        fileprivate let device: UInt64
        fileprivate let inode: UInt64
    }

    package let isDirectory: Bool
    package let isRegular: Bool
    /// Whether it is a FIFO, a socket or a character device: its bytes come and go.
    package let isStream: Bool
    let isFIFO: Bool
    let isSocket: Bool
    /// Whether it is a device of Video4Linux2, of whatever use.
    package let isVideoDevice: Bool
    let size: Int64
    package let identity: Identity

    /// nil with `errno` set where nothing can be found at `path`.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// nil with `errno` set where the descriptor is not open.
    init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isStream = [S_IFIFO, S_IFSOCK, S_IFCHR].contains(status.st_mode & S_IFMT)
        isFIFO = status.st_mode & S_IFMT == S_IFIFO
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
        // The kernel's list of devices (admin-guide/devices.txt) gives Video4Linux the major number 81.
        isVideoDevice = status.st_mode & S_IFMT == S_IFCHR && V4L2Major(status.st_rdev) == 81
        size = Int64(status.st_size)
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Whether both are one file, under whatever names.
    func isSame(as other: LocalFile) -> Bool { identity == other.identity }

    /// Whether two paths lead to one file, be it there or not.
    package static func areOne(_ path: String, _ other: String) -> Bool {
        let files = [path, other].map { LocalFile(path: $0)?.identity }
        if files != [nil, nil] { return files[0] == files[1] }
        let places = [path, other].map { LocalFile(path: folder(of: $0))?.identity }
        return places[0] == places[1] && path.split(separator: "/").last == other.split(separator: "/").last
    }

    /// Whether there is a symbolic link at `path`, wherever it leads.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The names of all that lies in a folder, in no order; none where it can't be read.
    ///
    /// What is not valid UTF-8 in a name comes as U+FFFD: nothing is found by that name.
    package static func names(inFolder path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        return names(folder)
    }

    /// The same of an open folder, which stays open.
    static func names(inFolder descriptor: CInt) -> [String] {
        guard let folder = fdopendir(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) else { return [] }
        return names(folder)
    }

    private static func names(_ folder: OpaquePointer) -> [String] {
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            withUnsafePointer(to: &entry.pointee.d_name) { name in
                let size = MemoryLayout.size(ofValue: name.pointee)
                name.withMemoryRebound(to: CChar.self, capacity: size) { names.append(String(cString: $0)) }
            }
        }
        return names
    }

    /// The folder part of `path`, "." for a bare name.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The path of `name` in `folder`.
    package static func path(of name: String, inFolder folder: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// The lines of a text file, such as the system's own below /proc and /sys; none where it can't be read.
    package static func lines(of path: String) -> [String] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var lines: [String] = []
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while true {
            let count = getline(&line, &capacity, file)
            guard count >= 0, let text = line else { return lines }
            let bytes = UnsafeRawBufferPointer(start: text, count: count)
            lines.append(String(decoding: bytes.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
    }

    /// The system's words for an error's number, without a capital at the beginning.
    package static func errorText(_ number: CInt = errno) -> String { String(cString: strerror(number)).lowercased() }
}
