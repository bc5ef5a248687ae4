import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// Of a small person beside a large one, in all of which a detector sees the large one alone.
struct BodyLookTests {
    private let people = [DrawnPerson(x: 75, top: 8, height: 160), DrawnPerson(x: 235, top: 107, height: 61)]
    private let region = Rectangle(x: 0, y: 0, width: 320, height: 180)

    // What a segmentation network may see of the first of them, at half of the frame's size.
    private func mask(of count: Int) -> ScalarMap {
        var map = ScalarMap(width: 160, height: 90)
        for y in 0..<90 {
            for x in 0..<160 where people.prefix(count).contains(where: { $0.color(2 * x + 1, 2 * y + 1) != nil }) {
                map.values[y * 160 + x] = 1
            }
        }
        return map
    }

    // How many bodies are looked at, frame by frame.
    private func counts(_ mask: ScalarMap) throws -> [Int] {
        let library = ModelLibrary(directory: Checkout.models)
        func description(_ name: String) throws -> ModelDescription {
            try #require(try library.manifest().models.first { $0.name == name })
        }
        let detector = try PersonDetector(description("pose_detection"), library: library)
        let networks = try (0..<2).map { _ in
            try BodyNetwork(description("pose_landmark_full"), library: library)
        }
        let look = BodyLook(networks, detector: detector)
        let frame = RGBPicture(width: 320, height: 180) { x, y in
            people.lazy.compactMap { $0.color(x, y) }.first ?? [150, 150, 150]
        }.frame()
        return try (0..<20).map { _ in
            let looks = try look.looks(in: region, of: frame, pixelAspect: 1, most: 2)
            try SideBySide.perform(looks)
            _ = look.masks([mask], of: region, pixelAspect: 1)
            return looks.count
        }
    }

    @Test func othersAreLookedForWhereSegmentationSeesThem() throws {
        let counts = try counts(mask(of: 2))
        #expect(counts.first == 1, "the detector sees one of them")
        #expect(counts.last == 2)
    }

    @Test func whoIsSeenByNobodyIsNotLookedFor() throws {
        #expect(try counts(mask(of: 1)).allSatisfy { $0 == 1 })
    }
}
