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
