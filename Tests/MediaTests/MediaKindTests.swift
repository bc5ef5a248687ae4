import Foundation
import TestSupport
import Testing

@testable import Media

/// What a file holds, and what its output can be called.
@Suite struct MediaKindTests {
    private let scratch = TemporaryFolder()

    @Test func picturesAreToldFromTheRest() throws {
        let video = try scratch.make("v", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -c:v libx264 -f matroska")
        let image = try scratch.make("i.jpg", "-f lavfi -i testsrc2=s=96x64 -frames:v 1")
        let moving = try scratch.make("m.gif", "-f lavfi -i testsrc2=s=96x64:r=5:d=0.4")
        let cover = try scratch.make(
            "c.mp3", "-f lavfi -i sine=d=0.2 -i \(image) -map 0 -map 1 -c:v copy -disposition:v attached_pic")
        #expect(MediaKind(path: video) == .video)
        #expect(MediaKind(path: image) == .image)
        #expect(MediaKind(path: moving) == .video)
        #expect(MediaKind(path: cover) == nil, "music with cover art")
        for name in ["notes.txt", "README.md", "data.json", "list.m3u8"] {
            try Data("some words\n".utf8).write(to: scratch.url(name))
            #expect(MediaKind(path: scratch.path(name)) == nil, "\(name)")
        }
        for (name, kind) in [
            ("broken.mp4", MediaKind.video), ("broken.heic", nil), ("broken.mp3", nil), ("broken.tif", .image),
        ] {
            try Data("not what it says".utf8).write(to: scratch.url(name))
            #expect(MediaKind(path: scratch.path(name)) == kind, "\(name)")
        }
    }

    @Test func theExtensionIsKeptWhereItCanBe() {
        func usual(_ input: String, _ kind: MediaKind, _ settings: EncoderSettings = .init()) -> String {
            OutputExtension.usual(for: input, kind: kind, settings: settings)
        }
        let alpha = EncoderSettings(keepsAlpha: true)
        #expect(usual("a/b.MOV", .video) == "MOV")
        #expect(usual("b.webm", .video, alpha) == "webm")
        #expect(usual("b.mp4", .video, alpha) == "mov")
        #expect(usual("b.jpg", .image) == "jpg")
        #expect(usual("b.jpg", .image, alpha) == "png")
        #expect(usual("b.heic", .image) == "png")
        #expect(usual("b.xyz", .video) == "mp4")
        #expect(usual("a.b/c", .video) == "mp4")
        #expect(usual("b.mp4", .video, .init(codec: "huffyuv")) == "mkv")
    }
}
