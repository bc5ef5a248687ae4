import Foundation

/// The files of the project that tests read.
public enum Checkout {
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// The rendered sample clip, 96 frames of 640x360.
    public static var sampleClip: String { root.appending(path: "samples/anna.mp4").path }
    public static var models: String { root.appending(path: "models").path }

    public static func fixture(_ name: String) -> String { root.appending(path: "Tests/Fixtures/\(name)").path }

    /// A program of this package, built together with the tests.
    public static func program(_ name: String) -> Tool {
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return Tool(URL(filePath: tests ?? "").deletingLastPathComponent().appending(path: name).path)
    }
}
