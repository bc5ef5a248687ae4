import Foundation
import Testing

@testable import QualitySuite

struct BenchmarkTests {
    @Test func everySubjectHasItsTurnInEveryRound() {
        var turns: [String] = []
        let medians = Rounds(3).medians(of: ["a", "b"]) { subject -> Double in
            turns.append(subject)
            // The warm-up is far off, and the middle of a's rounds isn't the second.
            return ["a": [1000, 3, 1, 2], "b": [-1000, 10, 10, 40]][subject]![(turns.count - 1) / 2]
        }
        #expect(turns == ["a", "b", "a", "b", "a", "b", "a", "b"])
        #expect(medians == [2, 10])
    }

    @Test func theMeanCountsEveryTime() {
        var stopwatch = Stopwatch()
        #expect(stopwatch.meanCPUMilliseconds == 0)
        for count in [10, 400_000] {
            stopwatch.time { _ = (0..<count).reduce(into: 1.0) { $0 = sin($0 + Double($1)) } }
        }
        // Of two numbers the median is the mean.
        #expect(abs(stopwatch.meanCPUMilliseconds - stopwatch.medianCPUMilliseconds) < 1e-9)
    }

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
        let enlarged = try EnlargedVideo(of: source, times: 2, in: folder)
        let benchmark = try MaskBenchmark(video: enlarged.path)
        #expect(benchmark.frameCount == 6)
        let frame = try #require(benchmark.frames.first).pixelBuffer
        #expect(frame.width == 1280 && frame.height == 720 && frame.format == .yuv420p)
    }

    // Run by a shell, because a file just written can't always be run while other tests start programs.
    private let shell = "/bin/sh"

    private func script(_ text: String, in folder: WorkingFolder) throws -> String {
        let path = folder.path("script-\(UUID().uuidString)")
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func theProgramRunsOnceForEachListOfArgumentsInEachRound() throws {
        let folder = try WorkingFolder()
        let script = try script("echo $1 $2 $3 $4 >>\(folder.path("log")); echo noise; echo noise >&2", in: folder)
        let video = Checkout.sampleClip.video
        let benchmark = try ProgramBenchmark(program: shell, video: video, folder: folder)
        let speeds = try benchmark.framesPerSecond(with: [[script, "-a"], [script, "-b"]], Rounds(1))
        #expect(speeds.count == 2 && speeds.allSatisfy { $0 > 0 && $0.isFinite })
        let log = String(decoding: try Data(contentsOf: folder.url.appending(path: "log")), as: UTF8.self)
        let calls = ["-a", "-b", "-a", "-b"].map { "\($0) --quiet --overwrite \(video)\n" }
        #expect(log == calls.joined())
    }

    @Test func aProgramThatFailsIsNamedWithItsLastWords() throws {
        let folder = try WorkingFolder()
        let video = Checkout.sampleClip.video
        let benchmark = try ProgramBenchmark(program: shell, video: video, folder: folder)
        let failing = try script("echo first >&2; echo 'no luck' >&2; exit 3", in: folder)
        #expect(throws: QualityError("can't run '/bin/sh': no luck")) {
            try benchmark.framesPerSecond(with: [[failing]], Rounds(1))
        }
        let silent = try script("exit 3", in: folder)
        #expect(throws: QualityError("can't run '/bin/sh': it ended with 3")) {
            try benchmark.framesPerSecond(with: [[silent]], Rounds(1))
        }
        let missing = folder.path("none")
        #expect(
            throws: QualityError("can't run '\(missing)': it is not there; run 'make build' or name another program")
        ) { try ProgramBenchmark(program: missing, video: video, folder: folder) }
    }
}
