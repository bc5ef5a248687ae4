import Media
import Reading

/// A media file: as a whole, and a part of it with a run-in in formats that take alpha.
enum FileTarget {
    private static let scratch = Scratch("file")

    static func run(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        let path = scratch.write(bytes, "in")
        guard case .read = InputReading(path: path, options: .init(threads: 1)).perform() else { return }
        let part = MediaReader.Options(
            threads: 1, start: 0.1, duration: 0.1, runIn: 0.05, frameLimit: 2, addition: .alpha)
        _ = InputReading(path: path, options: part).perform()
    }
}
