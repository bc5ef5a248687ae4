import TestSupport
import Testing

@testable import MatteVision

struct LoadedNetworksTests {
    private let models = ModelLibrary(directory: Checkout.models)

    private func networks(_ level: String, of loaded: LoadedNetworks) throws -> RegionPass.Networks {
        try LevelPlan(level: level, networks: loaded).load(loaded)
    }

    @Test func levelsShareTheirNetworks() throws {
        let loaded = LoadedNetworks(models)
        let accurate = try networks("accurate", of: loaded)
        #expect(accurate.closeUps.count == 2)
        #expect(accurate.closeUps[0] !== accurate.closeUps[1])
        #expect(!accurate.closeUps.contains { $0 === accurate.segmentation.usual }, "each works beside the others")
        let balanced = try networks("balanced", of: loaded)
        #expect(balanced.segmentation.usual === accurate.segmentation.usual)
        #expect(balanced.closeUps.count == 1 && balanced.closeUps[0] === accurate.closeUps[0])
        let fast = try networks("fast", of: loaded)
        #expect(fast.segmentation.usual === accurate.segmentation.usual && fast.closeUps.isEmpty)
        #expect(fast.detector === balanced.detector && fast.objectDetector === accurate.objectDetector)
    }

    // Their weights would be in memory twice.
    @Test func whatHasTooFewTwinsGivesWay() throws {
        let loaded = LoadedNetworks(models)
        weak var first: SegmentationNetwork?
        func loadFast() throws { first = try networks("fast", of: loaded).segmentation.usual }
        try loadFast()
        #expect(first != nil)
        let balanced = try networks("balanced", of: loaded)
        #expect(balanced.closeUps.count == 1)
        #expect(first == nil)
        #expect(try networks("fast", of: loaded).segmentation.usual === balanced.segmentation.usual)
    }
}
