import Foundation
import Testing

@testable import Measuring

struct MarkedSectionTests {
    private let section = MarkedSection(begin: "<!-- x -->", end: "<!-- /x -->")

    private func file(_ text: String) throws -> (folder: WorkingFolder, path: String) {
        let folder = try WorkingFolder()
        try Data(text.utf8).write(to: folder.url.appending(path: "file.md"))
        return (folder, folder.path("file.md"))
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    @Test(arguments: ["", "\n", "\n\nold\n\n", "old"])
    func onlyWhatStandsBetweenIsReplaced(_ old: String) throws {
        // Two ways to write é, Windows' ends of lines, no newline at the end.
        let (before, after) = ("# é e\u{301}\r\n\n\t ", " \r\nthe <!-- rest -->")
        let (folder, path) = try file("\(before)<!-- x -->\(old)<!-- /x -->\(after)")
        try section.replace(with: "| new |", in: path)
        let expected = "\(before)<!-- x -->\n\n| new |\n\n<!-- /x -->\(after)"
        #expect(Array(try text(path).utf8) == Array(expected.utf8))
        withExtendedLifetime(folder) {}
    }

    @Test func twiceIsOnce() throws {
        let (folder, path) = try file("a\n<!-- x -->\n<!-- /x -->\nb\n")
        try section.replace(with: "new", in: path)
        let once = try text(path)
        try section.replace(with: "new", in: path)
        #expect(try text(path) == once)
        withExtendedLifetime(folder) {}
    }

    @Test func theFileKeepsItsModeAndItsLinks() throws {
        let (folder, path) = try file("<!-- x --><!-- /x -->")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let link = folder.path("link.md")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try section.replace(with: "new", in: link)
        #expect(try text(path) == "<!-- x -->\n\nnew\n\n<!-- /x -->")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
    }

    @Test(arguments: [
        "nothing", "<!-- x -->", "<!-- /x -->", "<!-- /x --><!-- x -->", "<!-- x --><!-- x --><!-- /x -->",
        "<!-- x --><!-- /x --><!-- /x -->",
    ])
    func withoutBothMarkersOnceInOrderNothingIsWritten(_ content: String) throws {
        let (folder, path) = try file(content)
        let error = BenchmarkError(
            "can't find the section to replace in '\(path)': put '<!-- x -->' and after it '<!-- /x -->' there, each once"
        )
        #expect(throws: error) { try section.check(path) }
        #expect(throws: error) { try section.replace(with: "new", in: path) }
        #expect(try text(path) == content)
        withExtendedLifetime(folder) {}
    }

    @Test func aFileThatIsNoTextIsNamed() throws {
        let folder = try WorkingFolder()
        try Data([0xff, 0xfe, 0x00]).write(to: folder.url.appending(path: "bytes"))
        for path in [folder.path("none.md"), folder.path("bytes")] {
            #expect(
                throws: BenchmarkError(
                    "can't read '\(path)': it is not there or not text in UTF-8; name another file")
            ) { try section.check(path) }
        }
    }
}
