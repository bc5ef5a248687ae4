import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// An image in gives an image out.
@Suite struct StillImageTests {
    private let scratch = TemporaryFolder()

    private func image(_ name: String, _ arguments: String = "") throws -> String {
        try scratch.make(
            name, "-f lavfi -i gradients=s=96x64:r=25:c0=red:c1=blue:seed=7 \(arguments) -frames:v 1 -update 1")
    }

    /// FFmpeg's image2 has no WebP and no AVIF of its own.
    private func input(_ kind: String) throws -> String {
        switch kind {
        case "webp":
            try scratch.make(
                "in.webp",
                "-f lavfi -i gradients=s=96x64:r=25:c0=red:c1=blue:seed=7 -frames:v 1 -c:v libwebp -quality 95")
        case "avif":
            try scratch.make(
                "in.avif",
                "-f lavfi -i gradients=s=96x64:r=25:c0=red:c1=blue:seed=7 -pix_fmt yuv420p -frames:v 1 -c:v libaom-av1 -still-picture 1 -cpu-used 8 -crf 10"
            )
        default: try image("in.\(kind)")
        }
    }

    @Test(arguments: ["jpg", "png", "webp", "bmp", "tiff", "avif"], ["jpg", "png", "webp", "bmp", "tiff", "avif"])
    func everyImageBecomesEveryOther(from: String, to: String) throws {
        let path = try input(from)
        let output = scratch.path("out.\(to)")
        #expect(try transcode(path, to: output, settings: .init()) == [])
        #expect(scratch.contents == ["in.\(from)", "out.\(to)"])
        #expect(try probe(output, "stream=width,height") == ["96,64"])
        let truth = try rawPictures(path, format: "rgb24", in: scratch)
        #expect(distance(try rawPictures(output, format: "rgb24", in: scratch), truth).mean < 2.5)
    }

    /// FFmpeg's image2 would take the name for a pattern and open other files.
    @Test func nameOfAnInputIsNoPattern() throws {
        let input = scratch.path("in%d.jpg")
        try FileManager.default.moveItem(atPath: try image("in1.jpg"), toPath: input)
        _ = try scratch.make("in0.jpg", "-f lavfi -i color=s=32x32 -frames:v 1 -update 1")
        let reader = try MediaReader(path: input)
        #expect(reader.formatName == "jpeg_pipe")
        #expect(reader.video.width == 96)
        try "no image".write(toFile: scratch.path("text.jpg"), atomically: true, encoding: .utf8)
        #expect(try mediaError { _ = try MediaReader(path: scratch.path("text.jpg")) }.kind == .badData)
    }

    @Test func losslessImagesAreTheSame() throws {
        let input = try image("in.png")
        for name in ["out.png", "out.tiff", "out.bmp"] {
            try transcode(input, to: scratch.path(name), settings: .init())
            #expect(
                try rawPictures(scratch.path(name), format: "rgb24", in: scratch)
                    == rawPictures(input, format: "rgb24", in: scratch))
        }
    }

    @Test func jpegStaysAsItIsWhereNothingIsChanged() throws {
        let input = try scratch.make(
            "in.jpg", "-f lavfi -i testsrc2=s=96x64 -frames:v 1 -update 1 -q:v 2 -pix_fmt yuvj444p")
        let output = scratch.path("out.jpg")
        try transcode(input, to: output, settings: .init())
        #expect(try videoValue(output, "pix_fmt") == "yuvj444p")
        let (mean, greatest) = distance(
            try rawPictures(output, format: "yuv444p", in: scratch),
            try rawPictures(input, format: "yuv444p", in: scratch))
        #expect(mean < 0.5 && greatest < 12)
    }

    @Test(arguments: [("out.png", "out-%05d.png"), ("%d of 100% %d.png", "%%d of 100%% %%d-%05d.png")])
    func secondFrameForOneImageIsRefused(name: String, numbered: String) throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.08 -c:v ffv1")
        let output = scratch.path(name)
        let error = try mediaError { try transcode(input, to: output, settings: .init()) }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't write '\(output)': more than one frame came, and the name is that of one image; name the output \(numbered) for an image of each frame, or pass --limit 1"
        )
        #expect(scratch.contents == ["in.mkv"])
        try transcode(input, to: output, options: .init(frameLimit: 1), settings: .init())
        #expect(scratch.contents == [name, "in.mkv"].sorted())
        try transcode(input, to: scratch.path(numbered), settings: .init())
        #expect(scratch.contents.count == 4)
    }

    @Test func whatLiesBehindAPhotographIsLeftOut() throws {
        let photo = try scratch.make("in.jpg", "-f lavfi -i testsrc2=s=96x64 -frames:v 1")
        let whole = try Data(contentsOf: URL(filePath: photo))
        let second = try scratch.make("map.jpg", "-f lavfi -i color=white:s=24x16 -frames:v 1")
        let video = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v mpeg4")
        for rest in [second, video] {
            try (whole + Data(contentsOf: URL(filePath: rest))).write(to: URL(filePath: photo))
            let reader = try MediaReader(path: photo, options: .init(isStrict: true))
            var count = 0
            while try reader.next() != nil { count += 1 }
            #expect(count == 1 && reader.damage == Damage())
            #expect(try transcode(photo, to: scratch.path("out.jpg"), settings: .init(), overwrite: true) == [])
        }
    }

    @Test func imageThatExistsIsKept() throws {
        let input = try image("in.png")
        let output = scratch.path("out.jpg")
        try Data([1]).write(to: scratch.url("out.jpg"))
        let error = try mediaError { try transcode(input, to: output, settings: .init()) }
        #expect(
            error.description
                == "can't create '\(output)': it exists already; choose another name, or pass --overwrite")
        #expect(try byteCount(output) == 1)
        let same = try mediaError { try transcode(input, to: input, settings: .init(), overwrite: true) }
        #expect(same.description == "can't create '\(input)': it is the file that is being read; choose another name")
        #expect(scratch.contents == ["in.png", "out.jpg"])
    }

    @Test func webPOfAnImageIsStillAndOfAVideoIsAnimated() throws {
        let still = scratch.path("still.webp")
        try transcode(try image("in.png"), to: still, settings: .init())
        #expect(try WebPAnimation(path: still).durations == [])
        #expect(try videoValue(still, "codec_name") == "webp")
        let animated = scratch.path("animated.webp")
        let clip = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=10:d=0.3 -c:v ffv1")
        try transcode(clip, to: animated, settings: .init())
        #expect(try WebPAnimation(path: animated).durations == [100, 100, 100])
    }

    @Test func gifStaysAVideo() throws {
        let input = try scratch.make("in.gif", "-f lavfi -i testsrc2=s=96x64:r=10:d=0.3")
        let reader = try MediaReader(path: input)
        #expect(!reader.source.container.isImage)
        let output = scratch.path("out.mp4")
        try transcode(input, to: output)
        #expect(try frameTimes(output).count == 3)
    }

    @Test func imageBecomesAVideoOfOneFrame() throws {
        let output = scratch.path("out.mp4")
        try transcode(try image("in.png"), to: output)
        #expect(try frameTimes(output).count == 1)
    }

    @Test func imageWithoutItsEndIsReadOrRefused() throws {
        for kind in ["jpg", "png", "webp", "bmp", "tiff"] {
            let whole = try Data(contentsOf: URL(fileURLWithPath: try input(kind)))
            for part in [12, 40, whole.count / 2, whole.count - 3] {
                let cut = scratch.path("cut.\(kind)")
                try whole.prefix(part).write(to: URL(fileURLWithPath: cut))
                do {
                    try transcode(cut, to: scratch.path("out.png"), settings: .init(), overwrite: true)
                } catch let error as MediaError {
                    #expect(error.kind == .badData)
                }
                #expect(!scratch.contents.contains { $0.hasPrefix(".matte-") })
            }
        }
    }

    /// FFmpeg's program makes no smaller files of the same pictures with the same settings.
    @Test(arguments: [
        ("png", "-c:v png -pix_fmt rgb24"), ("jpg", "-c:v mjpeg -q:v 2 -pix_fmt yuvj420p"),
        ("webp", "-c:v libwebp -quality 90 -pix_fmt bgra"), ("tiff", "-c:v tiff -pix_fmt rgb24"),
        ("bmp", "-c:v bmp -pix_fmt bgr24"), ("jxl", "-c:v libjxl -pix_fmt rgb24"),
        ("avif", "-c:v libaom-av1 -still-picture 1 -cpu-used 6 -row-mt 1 -crf 20 -b:v 0 -pix_fmt yuv420p"),
    ])
    func filesAreNoLargerThanFFmpegs(kind: String, arguments: String) throws {
        let input = try scratch.make("in.png", "-f lavfi -i testsrc2=s=320x240 -frames:v 1 -update 1")
        let output = scratch.path("out.\(kind)")
        try transcode(input, to: output, settings: .init())
        let own = try scratch.make("own.\(kind)", "-i \(input) \(arguments) -frames:v 1")
        #expect(try Double(byteCount(output)) <= Double(byteCount(own)) * 1.02 + 300)
    }

    @Test func whatAnImageCannotTellIsSaid() throws {
        let wide = try scratch.make(
            "wide.mkv",
            "-f lavfi -i color=red:s=32x32 -vf setsar=4/3,format=yuv420p10le,setparams=color_trc=smpte2084 -frames:v 1 -c:v ffv1"
        )
        #expect(
            try transcode(wide, to: scratch.path("out-%d.webp"), settings: .init()) == [
                "the pictures are HDR, which webp can't tell: name the output .avif to keep them right",
                "a pixel is 4:3 wide, which webp can't tell: it will be shown square",
            ])
    }
}
