import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// One image file for each frame: names, pictures, and nothing that looks finished before it is.
@Suite struct ImageSequenceTests {
    private let scratch = TemporaryFolder()

    private func clip(_ count: Int = 3, _ arguments: String = "") throws -> String {
        try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25 \(arguments) -frames:v \(count) -c:v ffv1 -pix_fmt yuv420p")
    }

    // MARK: Names

    @Test(arguments: [
        ("frame-%05d.png", "frame-00001.png", "frame-123456.png"), ("%d.png", "1.png", "123456.png"),
        ("a%3d%%.png", "a001%.png", "a123456%.png"), ("x%%y%02d", "x%y01", "x%y123456"),
    ])
    func namesAreNumberedAsFFmpegDoes(pattern: String, first: String, late: String) {
        let names = ImageNames(path: "some/%d/\(pattern)")
        #expect(names.isNumbered)
        #expect(names.name(1) == first && names.path(1) == "some/%d/\(first)")
        #expect(names.name(123456) == late)
        #expect(names.number(of: first) == 1 && names.number(of: late) == 123456)
    }

    @Test(arguments: [
        "out.png", "out%s.png", "%d-%d.png", "100%.png", "%%.png", "%", "%5.png", "%-5d.png", "%99999999999d.png",
    ])
    func namesWithoutOnePatternAreThoseOfOneFile(name: String) {
        let names = ImageNames(path: "/folder/\(name)")
        #expect(!names.isNumbered)
        #expect(names.path(1) == "/folder/\(name)")
    }

    @Test(arguments: ["frame-1.png", "frame-00000.png", "frame-000001.png", "frame--0001.png", "frame-+0001.png", "f"])
    func otherFilesHaveNoNumber(name: String) {
        #expect(ImageNames(path: "frame-%05d.png").number(of: name) == nil)
    }

    // MARK: Pictures

    @Test func pngImagesHoldTheFrames() throws {
        let input = try clip()
        #expect(try transcode(input, to: scratch.path("f-%03d.png"), settings: .init()) == [])
        #expect(scratch.contents == ["f-001.png", "f-002.png", "f-003.png", "in.mkv"])
        // FFmpeg's filter takes chroma for being in the middle unless it is told that video has it on the left.
        let converted = try scratch.make(
            "truth.nut",
            "-i \(input) -vf scale=in_h_chr_pos=0:flags=accurate_rnd+full_chroma_int+full_chroma_inp+bicubic,format=rgb24 -c:v rawvideo"
        )
        let truth = try rawPictures(converted, format: "rgb24", in: scratch)
        for frame in 0..<3 {
            let path = scratch.path("f-00\(frame + 1).png")
            #expect(try probe(path, "stream=width,height,pix_fmt") == ["96,64,rgb24"])
            let size = 96 * 64 * 3
            #expect(
                distance(
                    try rawPictures(path, format: "rgb24", in: scratch), truth[(frame * size)..<((frame + 1) * size)]
                ).mean < 0.5)
        }
    }

    @Test func alphaInPNGIsExact() throws {
        let pictures = AlphaPictures(format: .rgba)
        try pictures.write(3, to: scratch.path("%d.png"), settings: .init(keepsAlpha: true), in: scratch)
        for frame in 0..<3 {
            #expect(
                try rawPictures(scratch.path("\(frame + 1).png"), format: "rgba", in: scratch)
                    == pictures.bytes(frame: frame))
        }
    }

    @Test func alphaOfTenBitsFillsPNGsSixteen() throws {
        let pictures = AlphaPictures(format: .yuva444p10)
        try pictures.write(1, to: scratch.path("%d.png"), settings: .init(keepsAlpha: true), in: scratch)
        let path = scratch.path("1.png")
        #expect(try videoValue(path, "pix_fmt") == "rgba64be")
        let pixels = try rawPictures(path, format: "rgba64be", in: scratch)
        let codes = (0..<(96 * 64)).map { Int(pixels[8 * $0 + 6]) << 8 | Int(pixels[8 * $0 + 7]) }
        let truth = (0..<(96 * 64)).map { pixel in
            let given = (pictures.alpha(pixel % 96, pixel / 96, frame: 0) * 1023).rounded()
            return Int((given * 65535 / 1023).rounded())
        }
        #expect(codes == truth)
    }

    /// Lossy ones are near; the colours are those of the video's matrix, which isn't the images' own.
    @Test(arguments: [
        ("jpg", 2.0, "yuvj420p"), ("jpeg", 2.0, "yuvj420p"), ("webp", 3.0, "yuv420p"), ("avif", 3.0, "yuv420p"),
        ("tiff", 1.0, "rgb24"), ("tif", 1.0, "rgb24"), ("bmp", 1.0, "bgr24"), ("jxl", 3.0, "rgb24"),
        ("png", 1.0, "rgb24"), ("exr", 1.5, "gbrpf32le"),
    ])
    func everyImageFormatShowsTheColours(name: String, limit: Double, format: String) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i gradients=s=1280x64:r=25:c0=red:c1=blue:c2=lime:nb_colors=3:seed=7 -vf scale=out_color_matrix=bt709,format=yuv420p,setparams=colorspace=bt709:range=tv -frames:v 2 -c:v ffv1"
        )
        #expect(try transcode(input, to: scratch.path("%d.\(name)"), settings: .init()) == [])
        let truth = try rawPictures(input, format: "rgb24", in: scratch)
        for frame in 0..<2 {
            let path = scratch.path("\(frame + 1).\(name)")
            #expect(try videoValue(path, "pix_fmt") == format)
            let size = 1280 * 64 * 3
            let pixels = try rawPictures(path, format: "rgb24", in: scratch)
            #expect(distance(pixels, truth[(frame * size)..<((frame + 1) * size)]).mean < limit)
        }
    }

    @Test func grayStaysGrayAndColourStaysColour() throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25 -frames:v 1 -c:v ffv1 -pix_fmt gray")
        try transcode(input, to: scratch.path("%d.png"), settings: .init())
        #expect(try videoValue(scratch.path("1.png"), "pix_fmt") == "gray")
        let output = scratch.path("out.mov")
        try transcode(try clip(), to: output, settings: .init(codec: "png"))
        #expect(try videoValue(output, "pix_fmt") == "rgb24")
    }

    @Test func turnedVideoMakesUprightImages() throws {
        let stored = try scratch.make(
            "stored.mp4", "-f lavfi -i testsrc2=s=96x64:r=25 -frames:v 2 -c:v libx264 -preset ultrafast -qp 0")
        let input = try scratch.turn(stored, by: 90)
        try transcode(input, to: scratch.path("%d.jpg"), settings: .init())
        #expect(try probe(scratch.path("2.jpg"), "stream=width,height") == ["64,96"])
    }

    // MARK: AVIF

    @Test(arguments: [PixelFormat.yuva420p, .rgba, .yuva444p10])
    func alphaInAVIFIsASecondGrayPicture(format: PixelFormat) throws {
        let pictures = AlphaPictures(format: format)
        try pictures.write(2, to: scratch.path("%d.avif"), settings: .init(keepsAlpha: true), in: scratch)
        for frame in 0..<2 {
            let items = try AVIFItems(path: scratch.path("\(frame + 1).avif"))
            #expect(items.auxiliaryType == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha")
            #expect(items.pictures.count == 2)
            let alpha = scratch.url("alpha-\(frame).obu")
            // The delimiter that a stream of AV1 begins with.
            try Data([0x12, 0x00] + items.pictures[1]).write(to: alpha)
            let decoded = try run(
                "ffprobe",
                split("-v error -f obu -show_entries stream=width,height,pix_fmt,color_range -of csv=p=0 \(alpha.path)")
            )
            #expect(decoded.hasPrefix(format.bitDepth == 8 ? "96,64,gray,pc" : "96,64,gray10le,pc"))
            let gray = try rawPictures(alpha.path, format: format.bitDepth == 8 ? "gray" : "gray10le", in: scratch)
            let planes = pictures.bytes(frame: frame).suffix(96 * 64 * format.bytesPerComponent)
            #expect(gray == (format == .rgba ? pictures.alphaBytes(frame: frame) : Array(planes)))
        }
    }

    // MARK: What is left behind

    @Test func nothingLooksFinishedBeforeTheEnd() throws {
        let reader = try MediaReader(path: try clip(4))
        let writer = try MediaWriter(path: scratch.path("f%d.png"), reader: reader)
        while let item = try reader.next() {
            try writer.write(item)
            #expect(!scratch.contents.contains { $0.hasSuffix(".png") })
        }
        let hidden = scratch.contents.filter { $0 != "in.mkv" }
        #expect(hidden.count == 1 && hidden[0].hasPrefix(".matte-") && hidden[0].hasSuffix(".partial"))
        try writer.finish()
        #expect(scratch.contents == ["f1.png", "f2.png", "f3.png", "f4.png", "in.mkv"])
    }

    @Test func discardLeavesNothing() throws {
        let reader = try MediaReader(path: try clip())
        var writer: MediaWriter? = try MediaWriter(path: scratch.path("f%d.png"), reader: reader)
        while let item = try reader.next() { try writer?.write(item) }
        writer = nil
        #expect(scratch.contents == ["in.mkv"])

        let empty = try MediaWriter(path: scratch.path("f%d.png"), reader: reader)
        let error = try mediaError { try empty.finish() }
        #expect(error.kind == .badData)
        #expect(scratch.contents == ["in.mkv"])
    }

    @Test func firstFileThatExistsIsNamed() throws {
        let input = try clip()
        for name in ["f10.png", "f2.png", "f0.png", "fx.png"] { try Data([1]).write(to: scratch.url(name)) }
        let error = try mediaError { try transcode(input, to: scratch.path("f%d.png"), settings: .init()) }
        #expect(error.kind == .cannotCreate)
        #expect(
            error.description
                == "can't create '\(scratch.path("f2.png"))': it exists already; choose another name, or pass --overwrite"
        )
        #expect(scratch.contents == ["f0.png", "f10.png", "f2.png", "fx.png", "in.mkv"])
        try transcode(input, to: scratch.path("f%d.png"), settings: .init(), overwrite: true)
        #expect(scratch.contents == ["f0.png", "f1.png", "f10.png", "f2.png", "f3.png", "fx.png", "in.mkv"])
        #expect(try videoValue(scratch.path("f2.png"), "width") == "96")
        #expect(try byteCount(scratch.path("f10.png")) == 1)
    }

    @Test func fileThatComesMeanwhileIsKept() throws {
        let reader = try MediaReader(path: try clip())
        let writer = try MediaWriter(path: scratch.path("f%d.png"), reader: reader)
        while let item = try reader.next() { try writer.write(item) }
        try Data([1]).write(to: scratch.url("f3.png"))
        let error = try mediaError { try writer.finish() }
        #expect(error.kind == .cannotCreate)
        #expect(scratch.contents == ["f3.png", "in.mkv"])
        #expect(try byteCount(scratch.path("f3.png")) == 1)
    }

    @Test func inputIsNeverOverwritten() throws {
        let input = try scratch.make("f1.png", "-f lavfi -i testsrc=s=32x32 -frames:v 1")
        let error = try mediaError {
            try transcode(input, to: scratch.path("f%d.png"), settings: .init(), overwrite: true)
        }
        #expect(error.description.hasSuffix("it is the file that is being read; choose another name"))
        #expect(scratch.contents == ["f1.png"])
    }

    @Test func otherStreamsAreNamedOnce() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.08 -f lavfi -i sine=d=0.08 -f lavfi -i sine=d=0.08 -map 0 -map 1 -map 2 -c:v ffv1 -c:a:0 flac -c:a:1 pcm_s16le"
        )
        #expect(
            try transcode(input, to: scratch.path("%d.png"), settings: .init()) == [
                "stream 1 (audio, flac) and stream 2 (audio, pcm_s16le) are left out, because image files hold pictures alone"
            ])
    }

    @Test(arguments: [
        (
            EncoderSettings(codec: "libx264"),
            "can't create '@': a png image is made by the encoder png, not by 'libx264'; leave --codec out"
        ),
        (
            EncoderSettings(crf: 20),
            "can't encode '@': the encoder png has no option 'crf'; 'ffmpeg -h encoder=png' lists its options"
        ),
        (
            EncoderSettings(pixelFormat: "yuv420p"),
            "can't encode '@': the encoder png does not take the pixel format 'yuv420p'; it takes rgb24, rgba, rgb48be, rgba64be, pal8, gray, ya8, gray16be, ya16be, monob"
        ),
    ])
    func whatDoesNotFitIsRefused(settings: EncoderSettings, sentence: String) throws {
        let output = scratch.path("%d.png")
        let input = try clip()
        let error = try mediaError { try transcode(input, to: output, settings: settings) }
        #expect(error.kind == .usage)
        #expect(error.description == sentence.replacingOccurrences(of: "@", with: output))
        #expect(scratch.contents == ["in.mkv"])
    }

    @Test func videoWithAPatternInItsNameIsOneFile() throws {
        try transcode(try clip(), to: scratch.path("out%d.mp4"))
        #expect(scratch.contents == ["in.mkv", "out%d.mp4"])
    }
}

/// The coded pictures of an AVIF file, in the order of its items (ISO/IEC 23008-12; `iloc` of version 0).
struct AVIFItems {
    private(set) var pictures: [[UInt8]] = []
    private(set) var auxiliaryType: String?

    init(path: String) throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        func place(of type: String) -> Int? {
            let pattern = Array(type.utf8)
            return bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == pattern }
        }
        func number(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
        }
        let location = try #require(place(of: "iloc")) + 8
        let count = number(location + 2, 2)
        for item in 0..<count {
            let entry = location + 4 + 14 * item
            pictures.append(Array(bytes[number(entry + 6, 4)..<number(entry + 6, 4) + number(entry + 10, 4)]))
        }
        if let auxiliary = place(of: "auxC") {
            auxiliaryType = String(decoding: bytes[(auxiliary + 8)...].prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
