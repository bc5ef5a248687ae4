import CFFmpeg
import Testing

@testable import Media

/// What the libraries say becomes part of a sentence.
struct LibraryLogTests {
    @Test(arguments: [
        "the last words of a library\n", "  the last words of a library\n", "the last words of a library\nand more",
    ])
    func aLineStandsWithinASentence(_ text: String) {
        LibraryLog.install()
        let position = LibraryLog.position
        withVaList([]) { av_vlog(nil, AV_LOG_ERROR, text, $0) }
        #expect(
            LibraryLog.lastError(containing: "last words of a library", since: position)
                == "the last words of a library")
    }
}
