import Glibc

/// Standard input and standard output, which go by the name `-`.
enum StandardStream {
    static let path = "-"

    /// The descriptor that a path to read from stands for; nil for a file.
    static func inputDescriptor(of path: String) -> CInt? { path == Self.path ? STDIN_FILENO : nil }

    /// The descriptor that a path to write to stands for; nil for a file.
    static func outputDescriptor(of path: String) -> CInt? { path == Self.path ? STDOUT_FILENO : nil }

    /// What `path` leads to: a file, or the stream that it stands for; nil with `errno` set where there is nothing.
    static func input(_ path: String) -> LocalFile? {
        inputDescriptor(of: path).map { LocalFile(descriptor: $0) } ?? LocalFile(path: path)
    }

    /// Whether what is written to `path` goes on its way at once: nothing can be renamed, sought in or overwritten there.
    static func isOutputStream(_ path: String) -> Bool {
        outputDescriptor(of: path) != nil || LocalFile(path: path)?.isStream ?? false
    }

    /// How messages call `path`, which is being read or written.
    static func name(of path: String, isRead: Bool) -> String {
        guard path == Self.path else { return "'\(path)'" }
        return isRead ? "standard input" : "standard output"
    }
}
