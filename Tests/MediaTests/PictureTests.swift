import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Pictures come out as they went in, in their own format.
@Suite struct PictureTests {
    private let scratch = TemporaryFolder()

    @Test(arguments: [
        "yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv420p12le", "yuv422p12le",
        "yuv444p12le", "gray", "gray10le", "gray16le", "bgra",
    ])
    func losslessCopyIsExact(format: String) throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=94x62:r=25:d=0.2 -vf format=\(format),setparams=range=tv -c:v ffv1")
        #expect(try MediaReader(path: input).video.pixelFormatName == format)
        let output = scratch.path("out.mkv")
        #expect(try transcode(input, to: output, settings: .init(codec: "ffv1")) == [])
        #expect(try videoValue(output, "pix_fmt") == format)
        #expect(try pictureHash(input) == pictureHash(output))
    }

    @Test(arguments: ["nv12", "rgb24", "bgr24", "rgba"])
    func losslessCopyOfPackedFormatsIsExact(format: String) throws {
        let input = try scratch.make(
            "in.nut", "-f lavfi -i testsrc2=s=94x62:r=25:d=0.2 -vf format=\(format) -c:v rawvideo")
        #expect(try frames(MediaReader(path: input)).first?.pixelBuffer.format.name == format)
        let output = scratch.path("out.nut")
        #expect(try transcode(input, to: output, settings: .init(codec: "rawvideo")) == [])
        #expect(try videoValue(output, "pix_fmt") == format)
        #expect(try pictureHash(input) == pictureHash(output))
    }

    @Test(arguments: ["yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le", "nv12"])
    func x264KeepsTheFormat(format: String) throws {
        let input = try scratch.make(
            "in.nut", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -vf format=\(format) -c:v rawvideo")
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output, settings: lossless) == [])
        // NV12 is another order of the same samples, which H.264 doesn't tell.
        let expected = format == "nv12" ? "yuv420p" : format
        #expect(try videoValue(output, "pix_fmt") == expected)
        let same = try scratch.make("same.nut", "-i \(input) -pix_fmt \(expected) -c:v rawvideo")
        #expect(try pictureHash(same) == pictureHash(output))
    }

    /// What is converted at the edge, and to what.
    @Test(arguments: [
        ("yuv411p", "yuv422p"), ("yuv410p", "yuv420p"), ("yuv440p", "yuv444p"), ("yuyv422", "yuv422p"),
        ("uyvy422", "yuv422p"), ("yuv420p16le", "yuv420p12le"),
        ("yuv422p16le", "yuv422p12le"), ("gbrp", "rgb24"), ("nv21", "yuv420p"), ("monow", "gray"),
        ("yuva420p", "yuv420p"), ("bgr0", "rgb24"), ("rgb565le", "rgb24"), ("gbrp10le", "yuv444p10le"),
        ("rgb48le", "yuv444p12le"),
    ])
    func foreignFormatsAreConverted(source: String, expected: String) throws {
        let input = try scratch.make(
            "in.nut", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.04 -vf format=\(source) -c:v rawvideo")
        let frame = try #require(try frames(MediaReader(path: input)).first)
        #expect(frame.pixelBuffer.format.name == expected)
    }

    @Test func pictureIsRightAfterConversionAtTheEdge() throws {
        // A flat colour in a format that must be converted: exact values are known.
        let input = try scratch.make(
            "in.nut", "-f lavfi -i color=0x4080c0:s=64x64:d=0.04 -vf format=gbrp,geq=r=64:g=128:b=192 -c:v rawvideo")
        let frame = try #require(try frames(MediaReader(path: input)).first)
        let pixel = frame.pixelBuffer.withPlane(0) { plane in
            (0..<3).map { plane.row(20, as: UInt8.self)[3 * 20 + $0] }
        }
        #expect(pixel == [0x40, 0x80, 0xC0])
    }

    @Test(arguments: [("1280x720", "bt709"), ("320x240", "smpte170m")])
    func rgbBecomesTaggedYUV(size: String, matrix: String) throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i color=0xd03060:s=\(size):d=0.08 -c:v ffv1 -pix_fmt bgra")
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output, settings: lossless) == [])
        let tags = try probe(output, "stream=pix_fmt,color_range,color_space,color_transfer,color_primaries")
        #expect(tags == ["yuv420p,tv,\(matrix),iec61966-2-1,bt709"])
        // Back to RGB by the tags, with FFmpeg's own program.
        let back = scratch.path("back.nut")
        try run(
            "ffmpeg",
            split(
                "-v error -i \(output) -vf scale=flags=accurate_rnd+full_chroma_int,format=rgb24 -c:v rawvideo \(back)")
        )
        let frame = try #require(try frames(MediaReader(path: back)).first)
        let pixel = frame.pixelBuffer.withPlane(0) { plane in
            (0..<3).map { Int(plane.row(99, as: UInt8.self)[3 * 99 + $0]) }
        }
        for (a, b) in zip(pixel, [0xD0, 0x30, 0x60]) { #expect(abs(a - b) <= 2) }
    }

    @Test func oddSizeStaysOdd() throws {
        let input = try scratch.make(
            "in.webm",
            "-f lavfi -i testsrc2=s=98x64:r=25:d=0.2 -vf scale=97:63 -c:v libvpx-vp9 -cpu-used 8 -pix_fmt yuv420p")
        let output = scratch.path("out.mp4")
        #expect(
            try transcode(input, to: output) == [
                "the encoder libx264 can't hold yuv420p at the odd size 97x63: it is written as yuv444p, which some players can't show"
            ])
        #expect(try probe(output, "stream=width,height,pix_fmt") == ["97,63,yuv444p"])
        let webm = scratch.path("out.webm")
        #expect(try transcode(input, to: webm, settings: .init()) == [])
        #expect(try probe(webm, "stream=width,height,pix_fmt") == ["97,63,yuv420p"])
    }

    @Test(arguments: ["mp4", "mkv", "webm", "avi"])
    func maskIsFullRangeGray(container: String) throws {
        let input = try scratch.make(
            "in.mp4", "-f lavfi -i testsrc2=s=256x64:r=25:d=0.12 -c:v libx264 -preset ultrafast")
        let output = scratch.path("mask.\(container)")
        let settings = container == "webm" ? EncoderSettings(options: [("lossless", "1")]) : lossless
        #expect(
            try transcode(input, to: output, settings: settings) {
                $0.pixelBuffer = ramp($0.pixelBuffer.width, 64)
                $0.color = ColorDescription(range: .full)
            } == [])
        // H.264 holds gray alone, which FFmpeg's decoder hands out with neutral chroma.
        let expected = container == "webm" ? "yuv420p,pc" : "yuvj420p,pc"
        #expect(try probe(output, "stream=pix_fmt,color_range") == [expected])
        let frame = try #require(try frames(MediaReader(path: output)).first)
        #expect(frame.color.range == .full)
        frame.pixelBuffer.withPlane(0) { plane in
            for x in 0..<256 { #expect(Int(plane.row(5, as: UInt8.self)[x]) == x) }
        }
        frame.pixelBuffer.withPlane(1) { plane in #expect(plane.row(5, as: UInt8.self)[7] == 128) }
    }

    @Test func pictureThatChangesKeepsItsFirstSize() throws {
        let input = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.mp4")
        var count = 0
        let warnings = try transcode(input, to: output) { frame in
            if count >= 5 { frame.pixelBuffer = ramp(128, 128) }
            count += 1
        }
        #expect(
            warnings == [
                "the picture changes from 96x64 yuv420p to 128x128 gray on the way; it is written as it was at first"
            ])
        #expect(try probe(output, "stream=width,height,pix_fmt,nb_frames") == ["96,64,yuv420p,10"])
    }

    @Test func aPixelThatChangesItsAspectIsTold() throws {
        let input = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 -preset ultrafast")
        var count = 0
        let warnings = try transcode(input, to: scratch.path("out.mkv")) { frame in
            if count >= 5 { frame.sampleAspectRatio = Rational(4, 3) }
            if count >= 7 { frame.orientation = .down }
            if count >= 8 { (frame.color.primaries, frame.color.transfer) = (9, 16) }
            count += 1
        }
        #expect(
            warnings == [
                "a pixel's aspect changes from 1:1 to 4:3 on the way; it is told as it was at first, and what follows is shown too wide or too narrow",
                "the picture's orientation changes from up to down on the way; it is written as if it were as at first",
                "the colours change from unknown/unknown to bt2020/smpte2084 on the way; they are told as they were at first, and what follows looks wrong",
            ])
    }

    /// The decoder's pictures begin at columns that are even, and no more.
    @Test func whatIsCroppedAtTheLeftIsNotShown() throws {
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -c:v libx264 -preset ultrafast -x264-params crop-rect=6,8,10,4")
        #expect(try videoValue(input, "width") == "80")
        let output = scratch.path("out.mkv")
        #expect(try transcode(input, to: output, settings: .init(codec: "ffv1")) == [])
        #expect(try probe(output, "stream=width,height") == ["80,52"])
        let exact = try scratch.make("exact.mkv", "-flags unaligned -i \(input) -c:v ffv1")
        #expect(
            try rawPictures(output, format: "yuv420p", in: scratch)
                == rawPictures(exact, format: "yuv420p", in: scratch))
    }

    @Test func gifInAndOut() throws {
        let input = try scratch.make("in.gif", "-f lavfi -i testsrc2=s=96x64:r=10:d=0.5")
        let output = scratch.path("out.gif")
        #expect(try transcode(input, to: output, settings: .init()) == [])
        #expect(try probe(output, "stream=codec_name,width,height") == ["gif,96,64"])
        #expect(try frameTimes(output) == frameTimes(input))
    }

    @Test(arguments: [("gif", "-final_delay 40"), ("apng", "-f apng -final_delay 2/5")])
    func theLastPictureOfAnAnimationLastsAsLongAsItDid(name: String, options: String) throws {
        let input = try scratch.make("in.\(name)", "-f lavfi -i testsrc2=s=96x64:r=10:d=0.4 \(options)")
        let output = scratch.path("out.\(name)")
        #expect(try transcode(input, to: output, settings: .init()) == [])
        let durations = try probe(output, "packet=duration_time").map { Double($0) }
        #expect(durations == [0.1, 0.1, 0.1, 0.4])
    }

    /// WebP's "ANIM" tells it behind the colour of the background (RFC 9649, 2.7.1.1).
    private func playCount(_ path: String) throws -> Int? {
        guard path.hasSuffix("webp") else { return PlayCount.of(path: path) }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let start = try #require(bytes.firstRange(of: Array("ANIM".utf8)))
        return Int(bytes[start.upperBound + 8]) | Int(bytes[start.upperBound + 9]) << 8
    }

    /// How often an animation is shown, in each kind's own words for it.
    @Test(arguments: ["gif", "apng"], ["gif", "apng", "webp"])
    func animationsAreShownAsOftenAsTheyWere(from: String, to: String) throws {
        for count in [0, 1, 2, 7] {
            let gif = count == 0 ? 0 : count == 1 ? -1 : count - 1
            let options = ["gif": "-loop \(gif)", "apng": "-f apng -plays \(count)"]
            let input = try scratch.make(
                "in.\(from)", "-f lavfi -i testsrc2=s=96x64:r=10:d=0.3 \(try #require(options[from]))")
            #expect(PlayCount.of(path: input) == count)
            let output = scratch.path("\(count).\(to)")
            #expect(try transcode(input, to: output, settings: .init()) == [])
            #expect(try playCount(output) == count)
        }
    }

    @Test func otherVideosAreAnimationsWithoutEnd() throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=10:d=0.3 -c:v ffv1")
        #expect(PlayCount.of(path: input) == nil)
        for name in ["out.gif", "out.apng", "out.webp"] {
            #expect(try transcode(input, to: scratch.path(name), settings: .init()) == [])
            #expect(try playCount(scratch.path(name)) == 0)
        }
    }

    @Test func animationsThatAreCutOffTellNoCount() throws {
        for (name, options) in [("in.gif", "-loop 3"), ("in.apng", "-f apng -plays 4")] {
            let path = try scratch.make(name, "-f lavfi -i testsrc2=s=96x64:r=10:d=0.3 \(options)")
            let head = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)).prefix(2000))
            let told = (0...head.count).map { PlayCount.of(head: Array(head.prefix($0))) }
            let first = try #require(told.firstIndex { $0 != nil })
            #expect(told[..<first].allSatisfy { $0 == nil } && told[first...].allSatisfy { $0 == 4 }, "\(name)")
        }
    }

    @Test func motionJPEGIsFullRange() throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i color=white:s=96x64:d=0.08 -vf format=yuv420p,setparams=range=tv -c:v ffv1")
        let output = scratch.path("out.avi")
        #expect(try transcode(input, to: output, settings: .init(codec: "mjpeg")) == [])
        let frame = try #require(try frames(MediaReader(path: output)).first)
        #expect(frame.color.range == .full)
        #expect(frame.pixelBuffer.withPlane(0) { $0.row(9, as: UInt8.self)[9] } == 255)
    }

    private func ramp(_ width: Int, _ height: Int) -> PixelBuffer {
        var buffer = MutablePixelBuffer(format: .gray8, width: width, height: height)
        buffer.withMutablePlane(0) { plane in
            for y in 0..<height {
                let row = plane.row(y, as: UInt8.self)
                for x in 0..<width { row[x] = UInt8(truncatingIfNeeded: x) }
            }
        }
        return buffer.publish()
    }
}
