import Foundation
import Synchronization

/// A folder of a test's own, which goes away with it; one that is kept for all tests goes when they end.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init() {
        url = FileManager.default.temporaryDirectory.appending(path: "matte-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        _ = Self.cleaning
        Self.present.withLock { _ = $0.insert(url) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        Self.present.withLock { _ = $0.remove(url) }
    }

    /// The file `name` in it.
    public func url(_ name: String) -> URL { url.appending(path: name) }

    /// The path of the file `name` in it.
    public func path(_ name: String) -> String { url(name).path }

    /// The names of the files in it, sorted.
    public var contents: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }

    private static let present = Mutex<Set<URL>>([])

    // What a static property holds is never let go.
    private static let cleaning: Void = {
        atexit { TemporaryFolder.present.withLock { for url in $0 { try? FileManager.default.removeItem(at: url) } } }
    }()
}
