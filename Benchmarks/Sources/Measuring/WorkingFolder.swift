import Foundation

/// A temporary folder that goes away with its last user.
public final class WorkingFolder: Sendable {
    public let url: URL

    /// Makes the folder.
    ///
    /// - Throws: `BenchmarkError` where the system's temporary folder can't be written to.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "matte-benchmark-\(UUID().uuidString)")
        try Self.make(url.path)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Makes the folder `path`, and those that it lies in, unless it is there.
    ///
    /// - Throws: `BenchmarkError` where it can't be made.
    public static func make(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw BenchmarkError("can't make the folder '\(path)': name another place that can be written to")
        }
    }

    /// The path of the file `name` in it.
    public func path(_ name: String) -> String { url.appending(path: name).path }
}
