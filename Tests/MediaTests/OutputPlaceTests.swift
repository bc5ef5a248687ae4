import Foundation
import TestSupport
import Testing

@testable import Media

struct OutputPlaceTests {
    private let folder = TemporaryFolder()

    /// Something with a hidden name that nobody has touched for two days.
    private func makeOld(_ name: String, isFolder: Bool = false) -> String {
        let path = folder.path(name)
        if isFolder {
            mkdir(path, 0o755)
        } else {
            close(open(path, O_WRONLY | O_CREAT, 0o644))
        }
        age(path)
        return path
    }

    private func age(_ path: String) {
        let old = timespec(tv_sec: time(nil) - 2 * 86400, tv_nsec: 0)
        utimensat(AT_FDCWD, path, [old, old], AT_SYMLINK_NOFOLLOW)
    }

    private func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private func removeAbandoned() { OutputPlace.removeAbandoned(inFolder: folder.path("")) }

    @Test func remainsOfADayAreRemoved() {
        let file = makeOld(".matte-1.partial")
        let pictures = makeOld(".matte-2.partial", isFolder: true)
        let picture = makeOld(".matte-2.partial/1.png")
        age(pictures)
        removeAbandoned()
        #expect(!isThere(file) && !isThere(pictures) && !isThere(picture))
    }

    @Test func whatIsYoungOrNamedOtherwiseStays() {
        let named = makeOld("film.partial")
        let young = makeOld(".matte-1.partial")
        utimensat(AT_FDCWD, young, nil, 0)
        removeAbandoned()
        #expect(isThere(named) && isThere(young))
    }

    @Test func whatIsBeingMadeStays() {
        let path = makeOld(".matte-1.partial")
        let descriptor = open(path, O_WRONLY)
        OutputPlace.lock(descriptor)
        removeAbandoned()
        #expect(isThere(path))
        close(descriptor)
        removeAbandoned()
        #expect(!isThere(path))
    }

    @Test func aNameThatIsTakenMeanwhileStaysWhatItIs() throws {
        let output = folder.path("out")
        let file = try PartialFile(for: output, overwrites: false)
        try "theirs".write(toFile: output, atomically: true, encoding: .utf8)
        let error = try mediaError { try file.publish() }
        #expect(error.kind == .cannotCreate)
        #expect(try String(contentsOfFile: output, encoding: .utf8) == "theirs")
        #expect(folder.contents == ["out"])
    }

    @Test func linksAreNotFollowed() {
        let elsewhere = makeOld("elsewhere", isFolder: true)
        let picture = makeOld("elsewhere/1.png")
        age(elsewhere)
        let link = folder.path(".matte-1.partial")
        symlink(elsewhere, link)
        age(link)
        removeAbandoned()
        #expect(isThere(picture) && isThere(link))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func whatIsOthersStays() {
        let path = makeOld(".matte-1.partial")
        chown(path, 65534, 65534)
        removeAbandoned()
        #expect(isThere(path))
    }
}
