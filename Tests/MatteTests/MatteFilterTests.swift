import Imaging
import MatteVision
import TestSupport
import Testing

@testable import Matte

struct MatteFilterTests {
    private func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        var configuration = Configuration()
        configuration.qualityLevel = .fast
        change(&configuration)
        return configuration
    }

    @Test func theMaskIsTheFrameOfItsOwnOutput() throws {
        let filter = MatteFilter(configuration { $0.outputKind = .mask })
        for frame in try SampleClip.frames(limit: 3) {
            let output = try filter.process(frame)
            #expect(output.frame.pixelBuffer.luma() == output.mask.pixelBuffer.luma())
            #expect(output.frame.color == ColorDescription(range: .full))
            #expect(output.frame.pts == frame.pts && output.mask.pts == frame.pts)
            #expect(output.faces.isEmpty, "nobody asked for faces")
        }
    }

    @Test func thePersonStaysAndTheBackgroundGoes() throws {
        let black = RGBColor(red: 0, green: 0, blue: 0)
        let filter = MatteFilter(configuration { $0.background = .color(black) })
        let frame = try #require(try SampleClip.frames(limit: 1).first)
        let output = try filter.process(frame)
        let (before, after) = (frame.pixelBuffer.luma(), output.frame.pixelBuffer.luma())
        let mask = output.mask.pixelBuffer.luma()
        for i in before.indices where mask[i] == 255 { #expect(after[i] == before[i]) }
        for i in before.indices where mask[i] == 0 { #expect(after[i] == 16) }
    }

    @Test func theColourFollowsTheHead() throws {
        let filter = MatteFilter(configuration())
        let frames = try SampleClip.frames(limit: 40)
        let poses = try SampleClip.poses()
        for (frame, pose) in zip(frames, poses) where abs(pose.yaw) > 15 {
            let face = try #require(try filter.process(frame).faces.first)
            #expect((face.yaw > 0) == (pose.yaw > 0))
        }
    }

    @Test func resetEqualsFresh() throws {
        let frames = try SampleClip.frames(limit: 4)
        func run(_ filter: MatteFilter) throws -> [[UInt8]] {
            try frames.map { try filter.process($0).frame.pixelBuffer.luma() }
        }
        let filter = MatteFilter(configuration())
        let first = try run(filter)
        filter.reset()
        #expect(try run(filter) == first)
    }

    @Test func whatDoesNotGoTogetherIsRefusedWithoutPreparationToo() throws {
        let frame = try #require(try SampleClip.frames(limit: 1).first)
        let wish = configuration {
            $0.outputKind = .mask
            $0.effects = [.dim(stops: 1)]
        }
        let error = MatteError(.usage, "effects are for composites: a mask has no dim:1")
        #expect(throws: error) { try MatteFilter(wish).prepare(width: 640, height: 360) }
        #expect(throws: error) { try MatteFilter(wish).process(frame) }
    }

    @Test func aMaskInColourIsRefused() throws {
        let wish = configuration {
            $0.outputKind = .mask
            $0.maskPixelFormat = .yuv420p
        }
        #expect(throws: MatteError(.usage, "a mask can't be yuv420p: take gray, gray10le or gray16le")) {
            try MatteFilter(wish).prepareBackground()
        }
    }

    @Test func aMissingModelIsUnavailable() throws {
        let filter = MatteFilter(configuration { $0.models = ModelLibrary(directory: "/nowhere") })
        #expect(
            throws: MatteError(
                .unavailable,
                "can't read the model description '/nowhere/manifest.json': name a folder or a file that is there")
        ) { try filter.prepare(width: 64, height: 64) }
    }
}
