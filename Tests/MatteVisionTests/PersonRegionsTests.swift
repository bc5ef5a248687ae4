import Testing

@testable import Imaging

@testable import MatteVision

struct PersonRegionsTests {
    private typealias Box = (x: Range<Int>, y: Range<Int>)

    private func map(_ boxes: Box...) -> ScalarMap {
        var map = ScalarMap(width: 128, height: 72)
        for box in boxes { for y in box.y { for x in box.x { map.values[y * 128 + x] = 1 } } }
        return map
    }

    private let frame = Rectangle(x: 0, y: 0, width: 640, height: 360)

    /// The regions of a frame of 640 by 360 pixels, of which `map` was seen.
    private func regions(_ map: ScalarMap, limit: Int = 4) -> PersonRegions {
        var regions = PersonRegions(.init(regions: limit, interval: 5), width: 640, height: 360)
        regions.search(map, of: frame)
        return regions
    }

    /// The mask of a region when the people stand in `boxes` of a whole map.
    private func part(_ rectangle: Rectangle, _ boxes: Box...) -> ScalarMap {
        var map = ScalarMap(width: 64, height: 64)
        for y in 0..<64 {
            for x in 0..<64 {
                let across = Int((rectangle.x + (Double(x) + 0.5) / 64 * rectangle.width) / 5)
                let down = Int((rectangle.y + (Double(y) + 0.5) / 64 * rectangle.height) / 5)
                if boxes.contains(where: { $0.x.contains(across) && $0.y.contains(down) }) {
                    map.values[y * 64 + x] = 1
                }
            }
        }
        return map
    }

    @Test func aRegionHoldsThePersonWithAMargin() throws {
        let found = try #require(regions(map((40..<60, 20..<60))).rectangles.first)
        #expect(found.x < 200 && found.maxX > 300 && found.y < 100 && found.maxY > 300)
        #expect(found.x >= 0 && found.y >= 0 && found.maxX <= 640 && found.maxY <= 360)
    }

    @Test func peopleApartGetRegionsOfTheirOwn() {
        let two = regions(map((8..<20, 40..<70), (100..<112, 40..<70))).rectangles
        #expect(two.count == 2)
        #expect(two.contains { $0.x < 40 && $0.maxX > 100 && $0.maxX < 320 })
        #expect(two.contains { $0.x > 320 && $0.x < 500 && $0.maxX > 560 })
    }

    @Test func moreThanTheLimitShareOne() {
        let boxes = map((4..<14, 50..<70), (24..<34, 50..<70), (108..<118, 50..<70))
        #expect(regions(boxes).rectangles.count >= 2)
        let two = regions(boxes, limit: 2).rectangles
        #expect(two.count == 2, "the nearest two are joined")
        #expect(two.contains { $0.x < 20 && $0.maxX > 170 })
        let one = regions(boxes, limit: 1).rectangles
        #expect(one.count <= 1)
    }

    @Test func peopleWhoTouchShareOne() {
        #expect(regions(map((30..<50, 30..<72), (50..<70, 34..<72))).rectangles.count == 1)
    }

    // At 45 pixels a frame, a quarter of their height.
    @Test func aRegionGoesAheadOfWhoMoves() throws {
        var regions = regions(map((10..<22, 30..<65)))
        for step in 1...10 {
            let box: Box = (10 + 9 * step..<22 + 9 * step, 30..<65)
            let rectangle = try #require(regions.rectangles.first)
            regions.follow([part(rectangle, box)])
            if step > 3 {
                #expect(Double(box.x.upperBound * 5) <= rectangle.maxX, "\(step)")
                #expect(Double(box.x.lowerBound * 5) >= rectangle.x, "\(step)")
            }
        }
    }

    @Test func peopleWhoGoApartGetRegionsOfTheirOwn() throws {
        var regions = regions(map((40..<52, 40..<70), (54..<66, 42..<70)))
        var counts: [Int] = []
        for step in 0..<10 {
            let boxes: (Box, Box) = ((40 - 4 * step..<52 - 4 * step, 40..<70), (54 + 5 * step..<66 + 5 * step, 42..<70))
            regions.follow(regions.rectangles.map { part($0, boxes.0, boxes.1) })
            counts.append(regions.rectangles.count)
        }
        #expect(counts.first == 1 && counts.last == 2 && counts == counts.sorted(), "\(counts)")
        #expect(!regions.hasStrangers, "both were known")
        #expect(regions.rectangles.allSatisfy { $0.width < 240 })
    }

    @Test func aHandIsNoPersonOfItsOwn() throws {
        let (person, hand): (Box, Box) = ((30..<42, 20..<70), (80..<86, 30..<36))
        var regions = regions(map((30..<86, 20..<70)))
        try #require(regions.rectangles.count == 1)
        regions.follow(regions.rectangles.map { part($0, person, hand) })
        #expect(regions.rectangles.count == 1 && regions.rectangles[0].maxX > 430)
    }

    @Test func thereIsRoomForThoseWhoGoApart() throws {
        let boxes: [Box] = [(4..<12, 50..<70), (60..<68, 50..<70), (100..<108, 50..<70)]
        var regions = regions(map(boxes[0], (60..<108, 50..<70)), limit: 2)
        try #require(regions.rectangles.count == 2)
        regions.follow(regions.rectangles.map { part($0, boxes[0], boxes[1], boxes[2]) })
        #expect(regions.rectangles.count == 2)
    }

    @Test func smallMovesLeaveARegionWhereItIs() throws {
        var regions = regions(map((40..<60, 20..<60)))
        let first = try #require(regions.rectangles.first)
        regions.follow([part(first, (41..<61, 20..<60))])
        #expect(regions.rectangles == [first])
        regions.follow([part(first, (56..<76, 20..<60))])
        #expect(regions.rectangles != [first])
        let moved = try #require(regions.rectangles.first)
        #expect(moved.maxX > 300 && moved.x > first.x)
    }

    // Somebody who stands up: the region goes along before the head is cut off, though it is still nearly the best one.
    @Test func aRegionMovesBeforePeopleReachItsEdge() throws {
        var regions = regions(map((40..<60, 24..<60)))
        for top in stride(from: 23, through: 4, by: -1) {
            let rectangle = try #require(regions.rectangles.first)
            // Where the mask fades out towards the frame's rest.
            #expect(Double(top * 5) >= rectangle.y + (rectangle.y > 0 ? Double(PatchFade.share) * rectangle.height : 0))
            regions.follow([part(rectangle, (40..<60, top..<60))])
        }
    }

    @Test func whoComesInIsFoundByTheNextSearch() throws {
        var regions = regions(map((8..<20, 40..<70)))
        let first = try #require(regions.rectangles.first)
        #expect(!regions.rectangles.isEmpty)
        for frame in 1...5 {
            regions.follow([part(first, (8..<20, 40..<70))])
            #expect(regions.isSearchDue == (frame == 5))
        }
        regions.search(map((8..<20, 40..<70), (100..<112, 40..<70)), of: frame)
        #expect(regions.rectangles.count == 2)
        #expect(regions.rectangles.first == first, "who was known stays as he was")
    }

    @Test func aWindowShowsWhoIsWholeInIt() {
        let window = Rectangle(x: 140, y: 0, width: 360, height: 360)
        var regions = PersonRegions(.init(regions: 4, interval: 5), width: 640, height: 360)
        var mask = ScalarMap(width: 72, height: 72)
        for y in 40..<60 { for x in 20..<28 { mask.values[y * 72 + x] = 1 } }
        regions.search(mask, of: window)
        let found = regions.rectangles
        #expect(found.count == 1 && found[0].x < 240 && found[0].maxX > 280 && found[0].width < 200)
        // The same at the window's left edge, beyond which the frame goes on.
        regions.reset()
        for y in 40..<60 { for x in 0..<8 { mask.values[y * 72 + x] = 1 } }
        for y in 40..<60 { for x in 20..<28 { mask.values[y * 72 + x] = 0 } }
        regions.search(mask, of: window)
        #expect(regions.rectangles.isEmpty)
    }

    @Test func aWindowShowsNobodyTwice() {
        let window = Rectangle(x: 140, y: 0, width: 360, height: 360)
        var regions = regions(map((50..<62, 40..<70)))
        let known = regions.rectangles
        var mask = ScalarMap(width: 72, height: 72)
        for y in 40..<70 { for x in 22..<34 { mask.values[y * 72 + x] = 1 } }
        regions.search(mask, of: window)
        #expect(known.count == 1 && regions.rectangles == known)
    }

    @Test func aNewRegionThatIsFullIsNoPerson() throws {
        var regions = regions(map((8..<20, 40..<60), (100..<112, 30..<50)))
        let both = regions.rectangles
        try #require(both.count == 2)
        let full = ScalarMap(width: 64, height: 64, repeating: 1)
        let person = part(both[0], (8..<20, 40..<60), (100..<112, 30..<50))
        let stays = regions.confirm([evidence(person), evidence(full)])
        #expect(stays == [true, false] && regions.rectangles == [both[0]])
        regions.follow([person])
        // Who is known may come so close that he fills his region.
        let known = regions.confirm([evidence(full)])
        #expect(known == [true] && regions.rectangles.count == 1)
    }

    @Test func aNewRegionOfWhichTheNetworksDisagreeOrAreNotSureIsNoPerson() throws {
        let seen = map((50..<62, 40..<70))
        let cases: [(Double, Float, Bool)] = [(1, 1, true), (0.4, 1, false), (1, 0.7, false)]
        for (agreement, softness, expected) in cases {
            var regions = regions(seen)
            let rectangle = try #require(regions.rectangles.first)
            var mask = part(rectangle, (50..<62, 40..<70))
            for i in mask.values.indices { mask.values[i] *= softness }
            let stays = regions.confirm([evidence(mask, agreement: agreement)])
            #expect(stays == [expected], "\(agreement) \(softness)")
        }
    }

    /// What is taken for a stranger beside somebody known may be a plant; who was known stays.
    @Test func whoIsKnownStaysWhateverIsBesideThem() throws {
        let (known, plant): (Box, Box) = ((40..<48, 20..<60), (54..<74, 20..<60))
        var regions = regions(map(known))
        let first = try #require(regions.rectangles.first)
        _ = regions.confirm([evidence(part(first, known))])
        for _ in 1...5 { regions.follow([part(first, known)]) }
        regions.search(map(known, plant), of: frame)
        let joined = try #require(regions.rectangles.first)
        try #require(regions.rectangles.count == 1 && joined != first, "\(regions.rectangles)")
        let doubtful = ScalarMap(width: 64, height: 64, repeating: 0.6)
        #expect(regions.confirm([evidence(doubtful)]) == [true] && regions.rectangles == [joined])
    }

    private func evidence(_ map: ScalarMap, agreement: Double = 1) -> PersonRegions.Evidence {
        PersonRegions.Evidence(map: map, agreement: agreement)
    }

    @Test func faintMasksAreNoPeople() {
        var faint = map((40..<60, 20..<60))
        for i in faint.values.indices { faint.values[i] *= 0.7 }
        #expect(regions(faint).rectangles.isEmpty)
    }

    @Test func whoLeavesIsForgotten() throws {
        var regions = regions(map((8..<20, 40..<70), (100..<112, 40..<70)))
        let both = regions.rectangles
        try #require(both.count == 2)
        regions.follow([part(both[0], (8..<20, 40..<70)), part(both[1], (8..<20, 40..<70))])
        #expect(regions.rectangles.count == 1)
        regions.follow([ScalarMap(width: 64, height: 64)])
        #expect(regions.rectangles.isEmpty && regions.isSearchDue && regions.isFresh)
    }

    // Two people side by side, low in the frame: squeezed into a square input they would be too narrow to be known.
    @Test func aRegionIsNeverMuchLongerThanHigh() throws {
        let found = try #require(regions(map((16..<84, 56..<72))).rectangles.first)
        #expect(found.width / found.height <= 1.51)
        #expect(found.x < 80 && found.maxX > 420 && found.y < 280 && found.maxY == 360)
        let upright = try #require(regions(map((60..<64, 0..<72))).rectangles.first)
        #expect(upright.height / upright.width <= 1.51 && upright.x < 300 && upright.maxX > 320)
    }

    @Test func peopleWhoFillTheFrameNeedNone() {
        #expect(regions(map((8..<120, 4..<72))).rectangles.isEmpty)
    }

    @Test func withoutPeopleThereIsNone() {
        #expect(regions(map()).rectangles.isEmpty)
        #expect(regions(map((10..<12, 14..<16))).rectangles.isEmpty, "four pixels are noise")
    }
}
