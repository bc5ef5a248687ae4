import Foundation
import Imaging
import MatteMetrics
import MatteVision
import Measuring
import Testing

@testable import QualitySuite

struct EvaluatorTests {
    @Test func theBaselineHasNoMemory() throws {
        let folder = try WorkingFolder()
        let method = try Method(baselineWith: Checkout.models, folder: folder)
        let reader = try ClipReader(Checkout.sampleClip, limit: 2)
        let (first, second) = (try #require(try reader.next()), try #require(try reader.next()))
        func masks(_ frames: [VideoFrame]) throws -> [AlphaMatte] {
            let request = GeneratePersonSegmentationRequest(qualityLevel: method.level, models: method.models)
            return try frames.map { AlphaMatte(VideoFrame(pixelBuffer: try request.perform(on: $0).pixelBuffer)) }
        }
        #expect(try masks([first.frame, second.frame])[1] == masks([second.frame])[0])
    }

    @Test func modelsThatAreNotThereAreNamed() throws {
        let folder = try WorkingFolder()
        let models = folder.path("none")
        #expect(
            throws: BenchmarkError(
                "can't read the manifest '\(models)/manifest.json': name a folder of models with --models")
        ) { try Method(baselineWith: models, folder: folder) }
    }

    @Test func anEvaluationIsWrittenInEveryForm() throws {
        let folder = try WorkingFolder()
        let evaluator = Evaluator(limit: 2, masksFolder: folder.url.path)
        let method = Method(level: .fast, models: Checkout.models)
        let evaluation = try evaluator.evaluate(method, on: Checkout.sampleClip)
        #expect(evaluation.frames == 2 && evaluation.width == 640 && evaluation.height == 360)
        #expect(evaluation.scores.iou > 0.95)
        #expect(evaluation.worst.mad >= evaluation.scores.mad)
        #expect(evaluation.milliseconds > 0)

        // The masks that were kept score as those that were measured.
        let masks = try ClipReader(
            Clip(name: "masks", video: folder.path("anna_fast.mkv"), alpha: Checkout.sampleClip.alpha))
        var meter = MatteMeter()
        while let sample = try masks.next() {
            meter.add(AlphaMatte(sample.frame), truth: AlphaMatte(sample.alpha))
        }
        #expect(meter.scores == evaluation.scores)

        let report = Report([evaluation, evaluation], every: 1)
        #expect(report.means.map(\.scores) == [evaluation.scores])
        try report.writeJSON(to: folder.path("report.json"))
        let data = try Data(contentsOf: folder.url.appending(path: "report.json"))
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let rows = try #require(json["evaluations"] as? [[String: Any]])
        #expect(rows.map { $0["clip"] as? String } == ["anna", "anna"])
        let mad = try #require((rows[0]["scores"] as? [String: Any])?["mad"] as? Double)
        #expect(abs(mad - evaluation.scores.mad) < 1e-9 * mad, "decimals may lose the last bit")

        let sheet = ContactSheet([evaluation, evaluation])
        #expect(sheet.picture().width == 1280 && sheet.picture().height == 360)
        try sheet.write(to: folder.path("sheet.png"), clip: Checkout.sampleClip)
        let png = try Data(contentsOf: folder.url.appending(path: "sheet.png"))
        #expect(png.prefix(8) == Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
        let missing = folder.path("none/report.json")
        #expect(
            throws: BenchmarkError(
                "can't write '\(missing)': its folder is not there or can't be written to; name another place")
        ) { try report.writeJSON(to: missing) }
    }
}
