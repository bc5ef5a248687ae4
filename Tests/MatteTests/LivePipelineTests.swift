import Media
import TestSupport
import Testing

@testable import Matte

struct LivePipelineTests {
    private let folder = TemporaryFolder()

    // The sound of the clip begins half a second before its pictures.
    @Test func theNetworksAreWarmBeforeTheFirstFrameIsShown() throws {
        let input = folder.path("in.mkv")
        try Tool.ffmpeg(
            "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-itsoffset", "0.5", "-f", "lavfi", "-i",
            "testsrc2=s=96x64:r=25:d=1", "-c:v", "libx264", "-c:a", "flac", input)
        var configuration = Configuration()
        configuration.qualityLevel = .fast
        let reader = try MediaReader(path: input)
        let pipeline = try LivePipeline(
            reader: reader, readerOptions: .init(), configuration: configuration, output: .nowhere)
        // The rest of the clip, without the frame that the networks have seen.
        var count = 0
        while let item = try reader.next() {
            if case .frame = item { count += 1 }
        }
        #expect(count == 24)
        let summary = try pipeline.run()
        #expect(summary.progress.frameCount == 1, "and it is shown all the same")
    }
}
