import Foundation
import Measuring
import Testing

@testable import QualitySuite

struct BenchmarkTests {
    @Test func masksOfEveryMethodAreTimed() throws {
        let benchmark = try MaskBenchmark(video: Checkout.sampleClip.video, limit: 2)
        #expect(benchmark.frameCount == 2)
        let method = Method(level: .fast, models: Checkout.models)
        let times = try benchmark.cpuMilliseconds(of: [method, method], Rounds(1))
        #expect(times.count == 2 && times.allSatisfy { $0 > 0 })
    }

    @Test func theClipIsEnlargedAndRepeated() throws {
        let folder = try WorkingFolder()
        let source = try Composer(Composition.all.first { $0.name == "still" }!, of: Checkout.sampleClip)
            .compose(into: folder.url.path, limit: 3)
        let enlarged = try EnlargedVideo(of: source.video, times: 2, name: "enlarged.mp4", in: folder)
        let benchmark = try MaskBenchmark(video: enlarged.path)
        #expect(benchmark.frameCount == 6)
        let frame = try #require(benchmark.frames.first).pixelBuffer
        #expect(frame.width == 1280 && frame.height == 720 && frame.format == .yuv420p)
    }
}
