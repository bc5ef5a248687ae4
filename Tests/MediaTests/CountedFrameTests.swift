import Foundation
import TestSupport
import Testing

@testable import Media

/// Containers that count frames instead of timing them, where all streams begin together.
struct CountedFrameTests {
    private let scratch = TemporaryFolder()

    private func varies(_ container: String) -> String {
        "the frame rate varies, which \(container) can't tell: the frames are written one by one"
    }

    /// Ten frames, of which the fifth lasts twice as long: FFmpeg takes 50 a second for their rate.
    private func makeVarying() throws -> String {
        let times = [0, 40, 80, 120, 160, 240, 280, 320, 360, 400]
        let expression = times.enumerated().map { "eq(N\\,\($0))*\($1)" }.joined(separator: "+")
        return try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -vf settb=1/1000,setpts=\(expression) -vsync vfr "
                + "-c:v ffv1")
    }

    @Test(arguments: [("mxf", "mpeg2video"), ("rm", "rv20")])
    func aVaryingRateIsMissed(container: String, codec: String) throws {
        let output = scratch.path("out.\(container)")
        let warnings = try transcode(makeVarying(), to: output, settings: .init(codec: codec))
        #expect(warnings == [varies(container)])
        let rate = try videoValue(output, "r_frame_rate").split(separator: "/").compactMap { Double($0) }
        #expect((23...26).contains(rate[0] / rate[1]), "near the average, so that they last about as long")
        #expect(try frameTimes(output).count == 10)
    }

    @Test(arguments: ["15", "24", "25", "30000/1001", "48", "50", "120"])
    func aConstantRateIsKept(rate: String) throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=\(rate):d=0.4 -c:v ffv1")
        let output = scratch.path("out.mxf")
        #expect(try transcode(input, to: output, settings: .init(codec: "mpeg2video")).isEmpty)
        #expect(try videoValue(output, "r_frame_rate") == (rate.contains("/") ? rate : "\(rate)/1"))
        #expect(try frameTimes(output).count == frameTimes(input).count)
    }

    // Its first picture would stand for all the time before.
    @Test func aviBeginsWithItsFirstFrame() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 -bf 2 "
                + "-c:a pcm_s16le -output_ts_offset 100")
        let output = scratch.path("out.avi")
        #expect(try transcode(input, to: output, settings: .init(codec: "ffv1")).isEmpty)
        #expect(try frameTimes(output) == frameTimes(input).map { (($0 - 100) * 1000).rounded() / 1000 })
    }

    @Test(arguments: ["avi", "mxf", "mkv"], [0, 0.2, -0.2])
    func soundThatBeginsAtAnotherTimeIsMissed(container: String, delay: Double) throws {
        let input = try scratch.make(
            "in.mkv",
            "-itsoffset \(max(0, -delay)) -f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -itsoffset \(max(0, delay)) "
                + "-f lavfi -i sine=d=0.4:r=48000 -c:v ffv1 -c:a pcm_s16le")
        let warnings = try transcode(
            input, to: scratch.path("out.\(container)"),
            settings: .init(codec: container == "mxf" ? "mpeg2video" : "ffv1"))
        let stream = "stream 1 (audio, pcm_s16le) is heard 0.2 s too"
        let missed =
            switch (container, delay) {
            case ("avi", 0.2), ("mxf", 0.2):
                ["\(stream) soon, because \(container) can't tell that it begins later; .mkv can"]
            case ("mxf", -0.2): ["\(stream) late, because mxf can't tell that the video begins later; .mkv can"]
            default: [String]()
            }
        #expect(warnings == missed)
    }
}
