import TestSupport
import Testing

@testable import Media

/// What encoders and containers of FFmpeg can't do is avoided or refused; whatever is written can be read.
@Suite struct EncoderLimitTests {
    private let scratch = TemporaryFolder()

    private func clip(_ options: String) throws -> String {
        try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=64x48:r=25:d=0.12 -c:v ffv1 \(options)")
    }

    /// libavcodec's encoder of VC-2 aborts on some pictures with fields, and its decoder takes none of them.
    @Test(arguments: ["yuv420p", "yuv422p", "yuv422p10le"])
    func interlacedVC2IsWrittenAsWholePictures(format: String) throws {
        let input = try clip("-pix_fmt \(format) -vf setfield=tff -flags +ildct")
        #expect(try probe(input, "frame=interlaced_frame").allSatisfy { $0.hasPrefix("1") })
        let output = scratch.path("out.mkv")
        try transcode(input, to: output, settings: .init(codec: "vc2"))
        #expect(try videoValue(output, "field_order") == "tt")
        #expect(try pictureHash(output, "-noautorotate -xerror").isEmpty == false)
        #expect(try frameTimes(output).count == 3)
    }

    /// MPEG-4 part 2 counts time in 16 bits, and transport streams 90000 a second.
    @Test func fineTimesGoIntoMPEG4() throws {
        let input = try scratch.make("in.ts", "-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.mkv")
        try transcode(input, to: output, settings: .init(codec: "mpeg4"))
        #expect(try frameTimes(output) == [0, 0.04, 0.08, 0.12, 0.16])
    }

    /// VC-2 has whole chroma samples alone.
    @Test func oddVC2HasAllOfItsChroma() throws {
        let input = try clip("-pix_fmt yuv420p -vf scale=65:47")
        let output = scratch.path("out.mkv")
        let warnings = try transcode(input, to: output, settings: .init(codec: "vc2"))
        #expect(try videoValue(output, "pix_fmt") == "yuv444p")
        #expect(try frameTimes(output).count == 3)
        #expect(warnings.count == 1 && warnings[0].contains("odd size 65x47"), "\(warnings)")
    }

    /// libavformat's muxer of Y4M cuts rows of chroma short where they have an odd number of samples of two bytes.
    @Test(arguments: ["yuv420p10le", "yuv422p12le", "yuv444p10le", "yuv420p", "gray10le"])
    func oddY4MCanBeRead(format: String) throws {
        let input = try clip("-pix_fmt \(format) -vf scale=65:47")
        let output = scratch.path("out.y4m")
        let warnings = try transcode(input, to: output, settings: .init())
        let isCut = ["yuv420p10le", "yuv422p12le"].contains(format)
        let written = isCut ? format.replacing(/4[0-9]{2}/, with: "444") : format
        #expect(try videoValue(output, "pix_fmt") == written)
        #expect(try frameTimes(output).count == 3)
        #expect(try lumaHash(output) == lumaHash(input))
        #expect(
            warnings
                == (isCut
                    ? [
                        "FFmpeg's Y4M can't hold \(format) at the odd size 65x47: it is written as \(written), "
                            + "which some players can't show"
                    ] : []))
    }

    private func lumaHash(_ path: String) throws -> String {
        try run("ffmpeg", split("-v error -xerror -i \(path) -vf extractplanes=y -f hash -"))
    }

    /// What was asked for by name is not written otherwise, nor in such a way that nobody can read it.
    @Test(arguments: [
        ("out.mkv", "vc2", "yuv420p", "the encoder vc2"), ("out.mkv", "libx264", "yuv422p", "the encoder libx264"),
        ("out.y4m", nil, "yuv420p10le", "FFmpeg's Y4M"),
    ])
    func anOddSizeIsRefusedWhereTheFormatIsAskedFor(
        name: String, codec: String?, format: String, holder: String
    ) throws {
        let input = try clip("-pix_fmt yuv444p -vf scale=65:47")
        let output = scratch.path(name)
        let error = try mediaError {
            try transcode(input, to: output, settings: .init(codec: codec, pixelFormat: format))
        }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't encode '\(output)': \(holder) can't hold \(format) at the odd size 65x47; "
                + "choose one whose chroma has all samples, or leave --output-pix-fmt out")
        #expect(!scratch.contents.contains(name))
    }

    /// Matroska loses how many bits a pixel of QuickTime's animation has, and NUT has no tag for it.
    @Test(arguments: ["out.mkv", "out.nut"])
    func animationIsRefusedWhereItCouldNotBeRead(name: String) throws {
        let reader = try MediaReader(path: clip(""))
        let output = scratch.path(name)
        let error = try mediaError {
            _ = try MediaWriter(path: output, settings: .init(codec: "qtrle"), reader: reader)
        }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't create '\(output)': \(name == "out.nut" ? "nut" : "matroska") can't hold qtrle video; "
                + "choose a name that ends in .mov, or another codec")
    }

    /// The cause is what the encoder says, be it in one of several threads.
    @Test(arguments: [
        ("utvideo", "yuv420p", "4:2:0 video requires even width and height"),
        ("cinepak", "rgb24", "width and height must be multiples of four (got 65x47)"),
    ])
    func theCauseOfARefusalIsTold(codec: String, format: String, cause: String) throws {
        let input = try clip("-pix_fmt yuv420p -vf scale=65:47")
        let output = scratch.path("out.mkv")
        let error = try mediaError { try transcode(input, to: output, settings: .init(codec: codec)) }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't encode '\(output)': the encoder \(codec) refuses 65x47 \(format): \(cause); "
                + "choose another codec or other options")
    }
}
