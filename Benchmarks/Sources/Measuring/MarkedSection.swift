import Foundation

/// The part of a text file that a program writes: what stands between two markers, each of which is there once.
public struct MarkedSection: Sendable {
    private let begin: String
    private let end: String

    public init(begin: String, end: String) {
        self.begin = begin
        self.end = end
    }

    /// Makes sure that the file at `path` has the section.
    ///
    /// - Throws: `BenchmarkError` where the file can't be read or the markers aren't there.
    public func check(_ path: String) throws {
        _ = try section(of: text(of: path), path)
    }

    /// Puts `content`, with an empty line before and after it, into the section of the file at `path`; the rest stays as
    /// it is, byte by byte.
    ///
    /// - Throws: `BenchmarkError` where the file can't be read or written or the markers aren't there.
    public func replace(with content: String, in path: String) throws {
        var text = try text(of: path)
        text.replaceSubrange(try section(of: text, path), with: "\n\n\(content)\n\n")
        do {
            // In place, so that the file keeps its mode and the links to it.
            try Data(text.utf8).write(to: URL(filePath: path))
        } catch {
            throw BenchmarkError(cannotWrite: path)
        }
    }

    private func text(of path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self)
        else { throw BenchmarkError("can't read '\(path)': it is not there or not text in UTF-8; name another file") }
        return text
    }

    private func section(of text: String, _ path: String) throws -> Range<String.Index> {
        let (begins, ends) = (text.ranges(of: begin), text.ranges(of: end))
        guard begins.count == 1, ends.count == 1, begins[0].upperBound <= ends[0].lowerBound else {
            throw BenchmarkError(
                "can't find the section to replace in '\(path)': put '\(begin)' and after it '\(end)' there, each once")
        }
        return begins[0].upperBound..<ends[0].lowerBound
    }
}
