import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// Who makes a region's mask, a network or the arbiter that is asked every so often.
@Suite struct ArbiterTests {
    private let frame: VideoFrame
    private let view: RegionView
    private var picture = RGBMap(width: 288, height: 160)

    init() throws {
        frame = try RGBPicture(fixture: "anna_048.png").frame()
        let rectangle = Rectangle(x: 0, y: 0, width: 640, height: 360)
        view = RegionView(frame: frame, rectangle: rectangle, width: 288, height: 160, framePixelAspect: 1)
        FrameSampler().sample(frame, source: rectangle, into: &picture)
    }

    // One that is blind sees black pictures, in which there is nobody.
    private func network(_ name: String, isBlind: Bool = false) throws -> SegmentationNetwork {
        let library = ModelLibrary(directory: Checkout.models)
        var description = try #require(try library.manifest().models.first { $0.name == name })
        let low = description.input.range[0]
        if isBlind { description.input.range = [low, low + 1e-6] }
        return try SegmentationNetwork(description, directory: Checkout.models, library: library)
    }

    private func lanes(
        _ maker: SegmentationNetwork, arbiter: SegmentationNetwork? = nil, interval: Int = 1
    ) -> RegionLanes {
        let lanes = RegionLanes(
            [maker], witnesses: [], arbiter: arbiter, interval: interval, hasCloserLooks: false)
        lanes.reset(aspect: 16 / 9)
        return lanes
    }

    // How many networks saw the picture.
    private func look(_ lanes: RegionLanes) throws -> Int {
        let pieces = lanes.segment(picture, view)
        try SideBySide.perform(pieces)
        lanes.arbitrate()
        return pieces.count
    }

    private func people(_ mask: ScalarMap) -> Double {
        Double(mask.values.count { $0 > 0.5 }) / Double(mask.values.count)
    }

    @Test func whoSeesTheSameMakesTheMask() throws {
        let maker = try network("selfie_segmentation_landscape")
        let alone = lanes(maker)
        let arbitrated = lanes(maker, arbiter: try network("person_segmentation"), interval: 3)
        #expect(try look(alone) == 1)
        for count in [2, 1, 1, 2, 1, 1, 2] {
            #expect(try look(arbitrated) == count)
            #expect(!arbitrated.isArbitrated)
            #expect(arbitrated.masks == alone.masks)
        }
        #expect(people(alone.masks[0]) > 0.1, "somebody is there")
        #expect(try arbitrated.agreement(picture, view) == nil, "there is no witness")
    }

    @Test func anArbiterThatSeesSomebodyElseMakesTheMaskAlone() throws {
        let arbiter = try network("person_segmentation")
        let arbitrated = lanes(
            try network("selfie_segmentation_landscape", isBlind: true), arbiter: arbiter, interval: 3)
        let expected = lanes(arbiter)
        _ = try look(expected)
        for count in [2, 1, 1, 2, 1] {
            #expect(try look(arbitrated) == count)
            #expect(arbitrated.isArbitrated)
            #expect(arbitrated.masks == expected.masks)
        }
        #expect(people(arbitrated.masks[0]) > 0.1)
        #expect(try arbitrated.allMasks(picture, view) == expected.masks, "the blind one is not heard")
        arbitrated.reset(aspect: 16 / 9)
        #expect(!arbitrated.isArbitrated)
        #expect(try look(arbitrated) == 2, "anew")
    }

    @Test func anArbiterThatMayNotBeAskedDecidesNothing() throws {
        let maker = try network("selfie_segmentation_landscape")
        let lanes = lanes(maker, arbiter: try network("person_segmentation", isBlind: true), interval: 3)
        _ = try look(lanes)
        #expect(people(lanes.masks[0]) == 0)
        for _ in 0..<4 {
            let pieces = lanes.segment(picture, view, mayAskArbiter: false)
            try SideBySide.perform(pieces)
            lanes.arbitrate()
            #expect(pieces.count == 1 && people(lanes.masks[0]) > 0.1)
        }
        #expect(try look(lanes) == 2, "at once when it may")
    }

    @Test func anArbiterThatSeesNobodyEmptiesTheMask() throws {
        let arbitrated = lanes(
            try network("selfie_segmentation_landscape"),
            arbiter: try network("person_segmentation", isBlind: true))
        for _ in 0..<2 {
            #expect(try look(arbitrated) == 2)
            #expect(people(arbitrated.masks[0]) == 0)
        }
    }
}
