import Foundation
import Measuring
import Testing

@testable import QualitySuite

struct ClipTests {
    private func folder(_ names: String...) throws -> WorkingFolder {
        let folder = try WorkingFolder()
        for name in names { try Data().write(to: folder.url.appending(path: name)) }
        return folder
    }

    @Test(arguments: [("one.mp4", "one"), ("one_comp.mov", "one")])
    func theAlphaBesideTheVideoIsFound(_ video: String, _ name: String) throws {
        let folder = try folder(video, "one_alpha.mkv", "alpha.mkv")
        let clip = try Clip(argument: folder.path(video))
        #expect(clip == Clip(name: name, video: folder.path(video), alpha: folder.path("one_alpha.mkv")))
    }

    @Test func theFoldersAlphaIsFound() throws {
        let folder = try folder("clip.mp4", "alpha.mkv")
        let clip = try Clip(argument: folder.path("clip.mp4"))
        #expect(clip.name == folder.url.lastPathComponent)
        #expect(clip.alpha == folder.path("alpha.mkv"))
    }

    @Test func bothCanBeGiven() throws {
        let folder = try folder("a:b.mp4", "v.mp4", "t.mkv")
        let clip = try Clip(argument: "\(folder.path("v.mp4")):\(folder.path("t.mkv"))")
        #expect(clip == Clip(name: "v", video: folder.path("v.mp4"), alpha: folder.path("t.mkv")))
    }

    @Test func whatIsMissingIsNamed() throws {
        let folder = try folder("v.mp4")
        let (video, missing) = (folder.path("v.mp4"), folder.path("none.mkv"))
        #expect(
            throws: BenchmarkError(
                "can't find the alpha of '\(video)': neither '\(folder.path("v_alpha.mkv"))' nor "
                    + "'\(folder.path("alpha.mkv"))' is there; give VIDEO:ALPHA")
        ) { try Clip(argument: video) }
        #expect(
            throws: BenchmarkError("can't read the clip '\(video):\(missing)': there is no file '\(missing)'")
        ) { try Clip(argument: "\(video):\(missing)") }
        #expect(
            throws: BenchmarkError(
                "can't read the clip '\(missing)': there is no such file; give VIDEO or VIDEO:ALPHA")
        ) { try Clip(argument: missing) }
    }

    @Test func anAlphaOfAnotherSizeIsAnError() throws {
        let folder = try WorkingFolder()
        let sample = Checkout.sampleClip
        let other = try Composer(Composition.all.first { $0.name == "720p" }!, of: sample)
            .compose(into: folder.url.path, limit: 1)
        let reader = try ClipReader(Clip(name: "x", video: sample.video, alpha: other.alpha))
        #expect(
            throws: BenchmarkError(
                "can't compare '\(sample.video)' with '\(other.alpha)': they are 640x360 and 1280x720")
        ) { try reader.next() }
    }

    @Test func aShorterAlphaIsAnError() throws {
        let folder = try WorkingFolder()
        let sample = Checkout.sampleClip
        let short = try Composer(Composition.all.first { $0.name == "still" }!, of: sample)
            .compose(into: folder.url.path, limit: 1)
        let reader = try ClipReader(Clip(name: "x", video: sample.video, alpha: short.alpha))
        _ = try reader.next()
        #expect(
            throws: BenchmarkError("can't compare '\(sample.video)' with '\(short.alpha)': the alpha has fewer frames")
        ) { try reader.next() }
    }
}
