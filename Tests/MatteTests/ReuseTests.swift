import Imaging
import MatteVision
import Media
import TestSupport
import Testing

@testable import Matte

/// A filter that had other sequences before, and parts of a sequence.
struct ReuseTests {
    @Test(arguments: GeneratePersonSegmentationRequest.QualityLevel.allCases)
    func theNextSequenceGetsWhatAFreshFilterGives(
        _ level: GeneratePersonSegmentationRequest.QualityLevel
    ) throws {
        var configuration = Configuration()
        configuration.qualityLevel = level
        configuration.framing = .follow(aspect: 1)
        let sequences = [try SampleClip.frames(limit: 4), try SampleClip.otherFrames()]
        func run(_ filter: MatteFilter, _ frames: [VideoFrame]) throws -> [[UInt8]] {
            try frames.map { try filter.process($0).frame.pixelBuffer.luma() }
        }
        let filter = MatteFilter(configuration)
        for (turn, index) in [0, 0, 1, 0].enumerated() {
            filter.reset()
            // Time goes on: what goes back in time begins anew by itself.
            let frames = sequences[index].map { frame in
                var later = frame
                later.pts = frame.pts.map { $0 + 1_000_000 * Int64(turn) }
                return later
            }
            #expect(try run(filter, frames) == run(MatteFilter(configuration), frames))
        }
    }

    @Test func theFramingChangesWithTheSequence() throws {
        let frame = try #require(try SampleClip.frames(limit: 1).first)
        var configuration = Configuration()
        configuration.qualityLevel = .fast
        let filter = MatteFilter(configuration)
        #expect(try filter.process(frame).frame.uprightSize == (640, 360))
        filter.framing = .region(Rectangle(x: 100, y: 40, width: 200, height: 160))
        #expect(filter.framing == .region(Rectangle(x: 100, y: 40, width: 200, height: 160)))
        #expect(try filter.process(frame).frame.uprightSize == (200, 160))
    }

    @Test func aSearchLeavesTheFilterAsFresh() throws {
        let frames = try SampleClip.frames(limit: 3)
        let filter = MatteFilter(Configuration())
        let search = PersonExtentSearch(
            reader: try MediaReader(path: Checkout.sampleClip, options: .init(start: 2, frameLimit: 3)), filter: filter)
        let region = try #require(try search.run(aspect: nil))
        #expect(region.width < 640)
        let fresh = MatteFilter(Configuration())
        for frame in frames {
            #expect(
                try filter.process(frame).frame.pixelBuffer.luma() == fresh.process(frame).frame.pixelBuffer.luma())
        }
    }

    /// Mean differences of the masks of two runs, frame by frame, in units of 1/255.
    private func differences(
        _ level: GeneratePersonSegmentationRequest.QualityLevel, from whole: [[UInt8]]
    ) throws -> [Double] {
        var configuration = Configuration()
        (configuration.qualityLevel, configuration.outputKind) = (level, .mask)
        let filter = MatteFilter(configuration)
        let reader = try MediaReader(
            path: Checkout.sampleClip, options: .init(start: 2, duration: 0.5, runIn: 1.5))
        var masks: [[UInt8]] = []
        while let item = try reader.next() {
            switch item {
            case .runIn(let frame): _ = try filter.process(frame)
            case .frame(let frame): masks.append(try filter.process(frame).frame.pixelBuffer.luma())
            case .packet: break
            }
        }
        #expect(masks.count == 12)
        return zip(masks, whole[48...]).map { mask, other in
            Double(zip(mask, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(mask.count)
        }
    }

    /// Crops that follow people stay where they are as long as people are well inside, wherever that was, so that edges differ a
    /// little, by no more than `bound` of 255.
    @Test(arguments: [(GeneratePersonSegmentationRequest.QualityLevel.fast, 0.75), (.balanced, 0.5)])
    func aRunInGivesTheMasksOfTheWholeRun(
        _ level: GeneratePersonSegmentationRequest.QualityLevel, bound: Double
    ) throws {
        var configuration = Configuration()
        (configuration.qualityLevel, configuration.outputKind) = (level, .mask)
        let filter = MatteFilter(configuration)
        let whole = try SampleClip.frames(limit: 60).map { try filter.process($0).frame.pixelBuffer.luma() }
        let settled = try differences(level, from: whole)
        #expect(settled.max()! <= bound)
    }
}
