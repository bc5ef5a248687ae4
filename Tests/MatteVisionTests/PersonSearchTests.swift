import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct PersonSearchTests {
    private func search(
        _ names: [String], width: Int, height: Int, pixelAspect: Double = 1
    ) throws -> PersonSearch {
        let models = ModelLibrary(directory: Checkout.models)
        let known = try models.manifest().models
        let networks = try names.map { name in
            try SegmentationNetwork(
                try #require(known.first { $0.name == name }), directory: Checkout.models, library: models)
        }
        return PersonSearch(networks, width: width, height: height, pixelAspect: pixelAspect)
    }

    private let both = ["selfie_segmentation", "selfie_segmentation_landscape"]

    @Test func theWholeFrameComesFirstAndEveryPartHasItsTurn() throws {
        let search = try search(both, width: 1280, height: 720)
        #expect(search.windows[0] == Rectangle(x: 0, y: 0, width: 1280, height: 720))
        let large = search.windows.indices.filter { search.windows[$0].width == 720 }
        let small = search.windows.indices.filter { search.windows[$0].width < 720 }
        #expect(large.count == 2 && small.count == 12)
        let turns = (0..<2 * small.count).map { _ in search.turn()! }
        for (index, turn) in turns.enumerated() { #expect(large.contains(turn) == (index % 2 == 0), "\(index)") }
        #expect(Set(turns) == Set(search.windows.indices.dropFirst()))
        #expect(search.turn() == turns[0], "and all over again")
        search.reset()
        #expect(search.turn() == turns[0])
    }

    @Test func partsAreSquaresAsTheyAreShown() throws {
        let shown = try search(both, width: 1280, height: 720).windows
        let squeezed = try search(both, width: 640, height: 720, pixelAspect: 2).windows
        #expect(squeezed.count == shown.count)
        for (squeezed, shown) in zip(squeezed, shown) {
            #expect(abs(2 * squeezed.x - shown.x) <= 1 && squeezed.y == shown.y)
            #expect(2 * squeezed.width == shown.width && squeezed.height == shown.height)
        }
    }

    @Test func aSquareFrameHasNoLargeParts() throws {
        let search = try search(both, width: 720, height: 720)
        let turns = (1..<search.windows.count).map { _ in search.turn()! }
        #expect(turns == Array(1..<search.windows.count) && turns.count > 1)
    }

    @Test(arguments: [(2, 4000), (4000, 16), (1, 1)])
    func aThinFrameHasNoParts(_ width: Int, _ height: Int) throws {
        let search = try search(both, width: width, height: height)
        #expect(search.windows == [Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))])
    }

    @Test func oneNetworkAloneSearchesNoParts() throws {
        let search = try search([both[0]], width: 1280, height: 720)
        #expect(search.windows.count == 1 && search.turn() == nil)
    }
}
