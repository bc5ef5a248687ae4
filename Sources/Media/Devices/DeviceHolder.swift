import Glibc

/// A program that has a device open.
public struct DeviceHolder: Hashable, Sendable, CustomStringConvertible {
    /// Its number.
    public let processIdentifier: Int32
    /// The program's name, cut by the kernel after 15 characters.
    public let name: String

    /// Such as "firefox (process 1234)".
    public var description: String { "\(name) (process \(processIdentifier))" }

    /// Whoever has the file at `path` open, this process left out.
    ///
    /// Looks through the descriptors of all processes that this user may look into (proc(5)); others stay unseen.
    static func all(of path: String) -> [DeviceHolder] {
        guard let file = LocalFile(path: path) else { return [] }
        let own = getpid()
        return LocalFile.names(inFolder: "/proc").compactMap { Int32($0) }.filter { $0 != own }.sorted()
            .filter { process in
                let folder = "/proc/\(process)/fd"
                return LocalFile.names(inFolder: folder).contains {
                    LocalFile(path: "\(folder)/\($0)")?.isSame(as: file) ?? false
                }
            }
            .map { DeviceHolder(processIdentifier: $0, name: name(of: $0)) }
    }

    /// Whether the program has memory of the device in its address space.
    func maps(_ path: String) -> Bool {
        let target = VideoDevice.target(of: path)
        return LocalFile.lines(of: "/proc/\(processIdentifier)/maps").contains { $0.hasSuffix(" \(target)") }
    }

    private static func name(of process: Int32) -> String {
        LocalFile.lines(of: "/proc/\(process)/comm").first ?? "a program"
    }
}
