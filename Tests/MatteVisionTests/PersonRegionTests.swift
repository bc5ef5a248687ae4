import Imaging
import Testing

@testable import MatteVision

struct PersonRegionTests {
    private func map(_ box: (x: Range<Int>, y: Range<Int>)) -> ScalarMap {
        var map = ScalarMap(width: 64, height: 36)
        for y in box.y { for x in box.x { map.values[y * 64 + x] = 1 } }
        return map
    }

    @Test func theRegionHoldsThePeopleWithAMargin() throws {
        var region = PersonRegion()
        let rectangle = region.follow(map((20..<30, 10..<30)), width: 640, height: 360)
        let found = try #require(rectangle)
        #expect(found.x < 200 && found.maxX > 300 && found.y < 100 && found.maxY > 300)
        #expect(found.x >= 0 && found.y >= 0 && found.maxX <= 640 && found.maxY <= 360)
    }

    @Test func smallMovesLeaveItWhereItIs() {
        var region = PersonRegion()
        let first = region.follow(map((20..<30, 10..<30)), width: 640, height: 360)
        let near = region.follow(map((21..<31, 10..<30)), width: 640, height: 360)
        #expect(near == first)
        let far = region.follow(map((40..<50, 10..<30)), width: 640, height: 360)
        #expect(far != first)
    }

    // Two people side by side, low in the frame: squeezed into a square input they would be too narrow to be known.
    @Test func theRegionIsNeverMuchLongerThanHigh() throws {
        var region = PersonRegion()
        let rectangle = region.follow(map((8..<42, 28..<36)), width: 640, height: 360)
        let found = try #require(rectangle)
        #expect(found.width / found.height <= 1.51)
        #expect(found.x < 80 && found.maxX > 420 && found.y < 280 && found.maxY == 360)
        let standing = region.follow(map((30..<32, 0..<36)), width: 640, height: 360)
        let upright = try #require(standing)
        #expect(upright.height / upright.width <= 1.51 && upright.x < 300 && upright.maxX > 320)
    }

    @Test func peopleWhoFillTheFrameNeedNone() {
        var region = PersonRegion()
        let close = region.follow(map((4..<60, 2..<36)), width: 640, height: 360)
        #expect(close == nil)
    }

    @Test func withoutPeopleThereIsNone() {
        var region = PersonRegion()
        let nobody = region.follow(map((5..<5, 0..<0)), width: 640, height: 360)
        #expect(nobody == nil)
        let speck = region.follow(map((5..<6, 7..<8)), width: 640, height: 360)
        #expect(speck == nil, "one pixel is noise")
    }
}
