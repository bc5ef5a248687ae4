import TestSupport
import Testing

/// Numbers that no video has: one sentence, and nothing written.
struct HostileOptionTests {
    private let matte = Checkout.program("matte")
    private let folder = TemporaryFolder()

    @Test func startPastAllMeaning() throws {
        let input = Checkout.sampleClip
        let result = try matte.run(["--start", "99999999999999999999999", input, folder.path("out.mp4")])
        #expect(result.status == 64)
        #expect(
            result.error
                == "matte: can't read '\(input)': no frame lies within the part that was asked for; choose an earlier start\n"
        )
        #expect(folder.contents.isEmpty)
    }

    @Test(arguments: ["1e300", "inf", "nan"])
    func qualityPastAllMeaning(_ number: String) throws {
        let result = try matte.run([
            "--quality", "fast", "--crf", number, "--limit", "1", Checkout.sampleClip, folder.path("out.mp4"),
        ])
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("matte: can't ") && result.error.split(separator: "\n").count == 1)
        #expect(folder.contents.isEmpty)
    }
}
