import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct PersonSearchTests {
    private func search(
        width: Int, height: Int, pixelAspect: Double = 1, searchesParts: Bool = true
    ) throws -> PersonSearch {
        let models = ModelLibrary(directory: Checkout.models)
        let network = try SegmentationNetwork(models.installed().model("person_segmentation"), library: models)
        return PersonSearch(
            SegmentationNetworks(usual: network), searchesParts: searchesParts, width: width, height: height,
            pixelAspect: pixelAspect)
    }

    @Test func theWholeFrameComesFirstAndEveryPartHasItsTurn() throws {
        let search = try search(width: 1280, height: 720)
        #expect(search.windows[0] == Rectangle(x: 0, y: 0, width: 1280, height: 720))
        let large = search.windows.indices.filter { search.windows[$0].width == 720 }
        let small = search.windows.indices.filter { search.windows[$0].width < 720 }
        #expect(large.count == 3 && small.count == 15)
        let turns = (0..<2 * small.count).map { _ in search.turn { _ in true }! }
        for (index, turn) in turns.enumerated() { #expect(large.contains(turn) == (index % 2 == 0), "\(index)") }
        #expect(Set(turns) == Set(search.windows.indices.dropFirst()))
        #expect(search.turn { _ in true } == turns[0], "and all over again")
        search.reset()
        #expect(search.turn { _ in true } == turns[0])
        for index in search.windows.indices.dropFirst() {
            #expect(search.period(of: index) == turns.count / turns.count { $0 == index })
        }
        #expect(search.period(of: 0) == 1)
    }

    @Test func whatIsNotWantedHasNoTurn() throws {
        let search = try search(width: 1280, height: 720)
        let wanted: Set = [2, 9, 12]
        let turns = (0..<7).map { _ in search.turn(where: wanted.contains)! }
        #expect(turns == [2, 2, 9, 2, 12, 2, 2])
        #expect(search.turn { _ in false } == nil)
        let next = search.turn { _ in true }
        _ = search.turn { _ in false }
        #expect(next != nil && search.turn { _ in true } != next, "nobody's turn is lost")
    }

    // People cut off by a window's edge show only a part of themselves in it.
    @Test(arguments: [(1280, 720), (720, 1280), (640, 480), (1920, 800)])
    func whoIsNotTooLargeIsWholeInASmallWindow(_ width: Int, _ height: Int) throws {
        let search = try search(width: width, height: height)
        let side = try #require(search.smallWindows.first).width
        let person = (0.39 * side).rounded(.down)
        for y in stride(from: 0, through: Double(height) - person, by: 7) {
            for x in stride(from: 0, through: Double(width) - person, by: 7) {
                let box = Rectangle(x: x, y: y, width: person, height: person)
                #expect(search.smallWindows.contains { $0.intersection(box) == box }, "\(x) \(y)")
            }
        }
    }

    @Test func partsAreSquaresAsTheyAreShown() throws {
        let shown = try search(width: 1280, height: 720).windows
        let squeezed = try search(width: 640, height: 720, pixelAspect: 2).windows
        #expect(squeezed.count == shown.count)
        for (squeezed, shown) in zip(squeezed, shown) {
            #expect(abs(2 * squeezed.x - shown.x) <= 1 && squeezed.y == shown.y)
            #expect(2 * squeezed.width == shown.width && squeezed.height == shown.height)
        }
    }

    @Test func aSquareFrameHasNoLargeParts() throws {
        let search = try search(width: 720, height: 720)
        let turns = (1..<search.windows.count).map { _ in search.turn { _ in true }! }
        #expect(turns == Array(1..<search.windows.count) && turns.count > 1)
    }

    @Test(arguments: [(2, 4000), (4000, 16), (1, 1)])
    func aThinFrameHasNoParts(_ width: Int, _ height: Int) throws {
        let search = try search(width: width, height: height)
        #expect(search.windows == [Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))])
    }

    @Test func whereNothingTellsBetterNoPartsAreSearched() throws {
        let search = try search(width: 1280, height: 720, searchesParts: false)
        #expect(search.windows.count == 1 && search.turn { _ in true } == nil)
    }
}
