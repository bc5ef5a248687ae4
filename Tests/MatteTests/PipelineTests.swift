import Foundation
import Imaging
import Media
import TestSupport
import Testing

@testable import Matte

/// A whole video through the pipeline.
struct PipelineTests {
    private let folder = TemporaryFolder()

    private func pipeline(into output: String) throws -> Pipeline {
        var configuration = Configuration()
        configuration.qualityLevel = .fast
        let reader = try MediaReader(path: Checkout.sampleClip)
        return Pipeline(
            reader: reader, filter: MatteFilter(configuration),
            writer: try MediaWriter(path: output, reader: reader, overwrite: true) { _ in })
    }

    @Test func whatIsCancelledLeavesWhatWasThere() throws {
        try Data("kept".utf8).write(to: folder.url("out.mkv"))
        let pipeline = try pipeline(into: folder.path("out.mkv"))
        let summary = try pipeline.run { if $0.frameCount == 3 { pipeline.cancel() } }
        #expect(summary.wasInterrupted && summary.progress.frameCount >= 3)
        #expect(folder.contents == ["out.mkv"])
        #expect(try Data(contentsOf: folder.url("out.mkv")) == Data("kept".utf8))
    }

    /// Whatever the background.
    @Test func theTableHasTheFaces() throws {
        var configuration = Configuration()
        configuration.qualityLevel = .fast
        configuration.background = .color(RGBColor(red: 0, green: 0.5, blue: 0))
        let reader = try MediaReader(path: Checkout.sampleClip, options: .init(frameLimit: 2))
        let pipeline = Pipeline(
            reader: reader, filter: MatteFilter(configuration),
            writer: try MediaWriter(path: folder.path("out.mkv"), reader: reader) { _ in },
            poseWriter: try PoseWriter(path: folder.path("pose.csv")))
        _ = try pipeline.run()
        let rows = try String(contentsOf: folder.url("pose.csv"), encoding: .utf8).split(separator: "\n")
        #expect(rows.count == 3 && rows.dropFirst().allSatisfy { !$0.hasSuffix(",") })
    }

    @Test func whatIsInterruptedIsComplete() throws {
        let pipeline = try pipeline(into: folder.path("out.mkv"))
        let summary = try pipeline.run { if $0.frameCount == 3 { pipeline.interrupt() } }
        #expect(summary.wasInterrupted)
        let reader = try MediaReader(path: folder.path("out.mkv"))
        var count = 0
        while try reader.nextFrame() != nil { count += 1 }
        #expect(count == summary.progress.frameCount)
    }
}
