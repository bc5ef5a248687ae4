import Foundation

/// A folder of a test's own, which goes away with it.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init() {
        url = FileManager.default.temporaryDirectory.appending(path: "matte-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The file `name` in it.
    public func url(_ name: String) -> URL { url.appending(path: name) }

    /// The path of the file `name` in it.
    public func path(_ name: String) -> String { url(name).path }

    /// The names of the files in it, sorted.
    public var contents: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
}
