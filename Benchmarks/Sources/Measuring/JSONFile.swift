import Foundation

/// A file of JSON as people read it, too: indented, its keys sorted.
public enum JSONFile {
    /// Writes `value` to `path`.
    ///
    /// - Throws: `BenchmarkError` where the file can't be written.
    public static func write(_ value: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value) + Data("\n".utf8)
        guard FileManager.default.createFile(atPath: path, contents: data) else {
            throw BenchmarkError(cannotWrite: path)
        }
    }

    /// Reads what was written to `path`.
    ///
    /// - Throws: `BenchmarkError` where the file can't be read or holds something else.
    public static func read<Value: Decodable>(_ type: Value.Type, from path: String) throws -> Value {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError("can't read '\(path)': it is not there; name another file")
        }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw BenchmarkError("can't read '\(path)': it is not what a benchmark writes; name another file")
        }
    }
}
