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

    /// Runs a line of bash in `folder`, with this package's programs on the search path; a pipe fails with any of its parts,
    /// and what hangs is ended after two minutes.
    public static func shell(_ line: String, in folder: TemporaryFolder) throws -> Tool.Result {
        let programs = URL(filePath: program("matte").program).deletingLastPathComponent().path
        return try Tool("timeout").run(
            ["-k", "10", "120", "bash", "-o", "pipefail", "-c", "PATH='\(programs)':\"$PATH\"; \(line)"], in: folder.url
        )
    }
}
