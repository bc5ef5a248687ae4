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
        var regions = PersonRegions(.init(regions: limit, interval: 5), width: 640, height: 360, pixelAspect: 1)
        search(map, of: frame, &regions)
        return regions
    }

    /// Takes in all whom `map` shows in `window`.
    private func search(_ map: ScalarMap, of window: Rectangle, _ regions: inout PersonRegions) {
        regions.admit(regions.strangers(in: map, of: window))
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

    /// As in the picture of a screen with somebody in a corner.
    @Test func whoIsFarAwayKeepsTheirOwnRegionBesideWhoeverIsNear() throws {
        let (near, far): (Box, Box) = ((20..<86, 2..<72), (92..<104, 52..<70))
        var regions = regions(map(near, far))
        try #require(regions.rectangles.count == 2)
        let (large, small) = (regions.rectangles[0], regions.rectangles[1])
        #expect(large.intersection(small).area > 0.3 * small.area, "one lies in the other's margin")
        #expect(large.area > 5 * small.area)
        for _ in 0..<10 {
            regions.follow(regions.rectangles.map { part($0, near, far) })
            #expect(regions.rectangles.count == 2 && !regions.isFilled)
        }
        // Alike in size they are one.
        #expect(self.regions(map((30..<50, 20..<60), (52..<72, 20..<60))).rectangles.count == 1)
    }

    // In a large region they are not, but a small one shows too little of the other to tell.
    @Test func whoIsFarAwayKeepsTheirOwnRegionWhereItShowsThemAsOneWithWhoeverIsNear() throws {
        let (near, far, both): (Box, Box, Box) = ((20..<86, 2..<72), (92..<104, 52..<70), (80..<104, 62..<70))
        var regions = regions(map(near, far))
        try #require(regions.rectangles.count == 2)
        for _ in 0..<10 {
            func maps() -> [ScalarMap] {
                let (large, small) = (regions.rectangles[0], regions.rectangles[1])
                return [part(large, near), part(small, near, far, both)]
            }
            _ = regions.extend(maps())
            try #require(regions.rectangles.count == 2)
            regions.follow(maps())
            try #require(regions.rectangles.count == 2)
            #expect(regions.rectangles[1].area < 0.1 * regions.rectangles[0].area && regions.rectangles[1].maxX >= 520)
        }
    }

    @Test func whoIsFarAwayKeepsTheirOwnRegionBesideWhoeverFillsTheFrame() throws {
        let (near, far): (Box, Box) = ((4..<96, 2..<72), (112..<122, 54..<70))
        let both = regions(map(near, far))
        #expect(both.rectangles.count == 2 && !both.isFilled)
        #expect(regions(map(near)).rectangles.isEmpty)
    }

    @Test func whoTouchesSomebodyKnownIsAStranger() throws {
        let person: Box = (20..<50, 20..<72)
        let regions = regions(map(person))
        // Their shoulders meet.
        let both = map(person, (50..<56, 55..<72), (56..<74, 22..<72))
        let stranger = try #require(regions.strangers(in: both, of: frame).first)
        #expect(regions.strangers(in: both, of: frame).count == 1)
        let region = regions.rectangles[0]
        #expect(stranger.box.x >= region.maxX - 20 && abs(stranger.box.maxX - 370) <= 20, "\(stranger.box)")
        #expect(stranger.box.y <= 120 && stranger.region.union(stranger.box) == stranger.region)
    }

    @Test func anArmThatReachesOutOfTheRegionIsNone() {
        let person: Box = (20..<50, 20..<72)
        let regions = regions(map(person))
        #expect(regions.strangers(in: map(person, (50..<80, 40..<52)), of: frame).isEmpty)
        #expect(regions.strangers(in: map(person), of: frame).isEmpty)
    }

    // Of a person who stands in the frame to the waist, half a shoulder at its side.
    @Test(arguments: [118..<128, 0..<10])
    func aPersonHalfInTheFrameIsSeenWithWhatIsAround(_ columns: Range<Int>) throws {
        let half = try #require(regions(map((columns, 30..<72))).rectangles.first)
        #expect(half.width == half.height && half.maxY == 360)
        #expect(half.x == 0 || half.maxX == 640)
        for box: Box in [(60..<70, 30..<72), (columns, 20..<60)] {
            let whole = try #require(regions(map(box)).rectangles.first)
            #expect(whole.width < whole.height)
        }
    }

    // Regions have margins, in which somebody else may be seen.
    @Test func knownPeopleAreWhereTheyWereSeen() throws {
        let box: Box = (40..<60, 20..<60)
        var regions = regions(map(box))
        // By whole cells of the mask.
        let seen = Rectangle(x: 200, y: 100, width: 100, height: 200)
        #expect(regions.known == [seen], "who was admitted")
        regions.follow([part(regions.rectangles[0], box)])
        let followed = try #require(regions.known.first)
        #expect(regions.known.count == 1 && followed.intersectionOverUnion(seen) > 0.8, "who is followed")
        #expect(regions.rectangles[0].area > 1.3 * followed.area)
        search(map((100..<120, 20..<60)), of: frame, &regions)
        #expect(regions.known == [followed, Rectangle(x: 500, y: 100, width: 100, height: 200)])
        regions.reset()
        #expect(regions.known.isEmpty)
    }

    // Whatever the pixels' shape, a region shows the same.
    @Test func regionsAreAsWideAsTheyAreShown() throws {
        let half = Rectangle(x: 0, y: 0, width: 320, height: 360)
        // Close to an edge, small, and wider than they are high.
        let boxes: [Box] = [(40..<60, 20..<60), (0..<9, 50..<72), (60..<64, 30..<34), (20..<70, 40..<52)]
        for box in boxes {
            let map = map(box)
            var squeezed = PersonRegions(.init(regions: 4, interval: 5), width: 320, height: 360, pixelAspect: 2)
            search(map, of: half, &squeezed)
            var shown = regions(map)
            #expect(shown.rectangles.count == 1)
            // The second time they have moved.
            for _ in 0..<2 {
                #expect(squeezed.rectangles.count == shown.rectangles.count)
                for (a, b) in zip(squeezed.rectangles, shown.rectangles) {
                    #expect(abs(2 * a.x - b.x) <= 2 && abs(2 * a.maxX - b.maxX) <= 2, "\(a) \(b)")
                    #expect(abs(a.y - b.y) <= 1 && abs(a.maxY - b.maxY) <= 1, "\(a) \(b)")
                }
                var corner = ScalarMap(width: 64, height: 64)
                for y in 40..<64 { for x in 0..<20 { corner.values[y * 64 + x] = 1 } }
                squeezed.follow([corner])
                shown.follow([corner])
            }
        }
    }

    // So fast that a region of their size goes ahead of them, and one of half their speed would not.
    @Test func whoWalksIsAsFastAsTheyAreShown() throws {
        let first = map((40..<60, 20..<60))
        var squeezed = PersonRegions(.init(regions: 4, interval: 5), width: 320, height: 360, pixelAspect: 2)
        search(first, of: Rectangle(x: 0, y: 0, width: 320, height: 360), &squeezed)
        var shown = regions(first)
        for left in [40, 43] {
            let box: Box = (left..<left + 20, 20..<60)
            squeezed.follow(
                squeezed.rectangles.map { region in
                    part(
                        Rectangle(x: 2 * region.x, y: region.y, width: 2 * region.width, height: region.height), box)
                })
            shown.follow(shown.rectangles.map { part($0, box) })
        }
        let (a, b) = (try #require(squeezed.rectangles.first), try #require(shown.rectangles.first))
        #expect(abs(2 * a.maxX - b.maxX) <= 4 && b.maxX >= 343, "\(a) \(b)")
    }

    @Test func whoIsCutOffByAWindowIsSoAsItIsShown() {
        let window = Rectangle(x: 80, y: 0, width: 160, height: 360)
        let regions = PersonRegions(.init(regions: 4, interval: 5), width: 320, height: 360, pixelAspect: 2)
        // Columns of 1.25 pixels; the slack is 3.6 of them.
        #expect(regions.strangers(in: map((4..<40, 20..<60)), of: window).count == 1)
        #expect(regions.strangers(in: map((1..<40, 20..<60)), of: window).isEmpty)
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

    @Test func whoseHeadAloneWasSeenHasRoomForTheirBody() throws {
        var regions = regions(map((0..<10, 30..<44)))
        let head = try #require(regions.rectangles.first)
        #expect(head.maxY < 300)
        let person: Box = (0..<22, 30..<72)
        let isExtended = regions.extend([part(head, person)])
        let larger = try #require(regions.rectangles.first)
        #expect(isExtended && larger.union(head) == larger && larger.maxY >= head.maxY + 20, "\(larger)")
        for _ in 0..<3 { _ = regions.extend([part(regions.rectangles[0], person)]) }
        let whole = try #require(regions.rectangles.first)
        #expect(whole.maxY == 360 && whole.maxX > 115, "\(whole)")
        let isExtendedAgain = regions.extend([part(whole, person)])
        #expect(!isExtendedAgain && regions.rectangles == [whole])
    }

    @Test func whoGoesOnIntoSomebodyElsesRegionIsTheirs() throws {
        var regions = regions(map((10..<30, 10..<60), (70..<90, 10..<60)), limit: 2)
        let both = regions.rectangles
        #expect(both.count == 2)
        // An arm from one to the other.
        let (person, arm): (Box, Box) = ((10..<30, 10..<60), (30..<70, 28..<36))
        let maps = [part(both[0], person, arm), part(both[1], (70..<90, 10..<60), arm)]
        _ = regions.extend(maps)
        #expect(regions.rectangles == both)
    }

    @Test func whoComesInIsFoundByTheNextSearch() throws {
        var regions = regions(map((8..<20, 40..<70)))
        let first = try #require(regions.rectangles.first)
        #expect(!regions.rectangles.isEmpty)
        for frame in 1...5 {
            regions.follow([part(first, (8..<20, 40..<70))])
            #expect(regions.isSearchDue == (frame == 5))
        }
        search(map((8..<20, 40..<70), (100..<112, 40..<70)), of: frame, &regions)
        #expect(regions.rectangles.count == 2)
        #expect(regions.rectangles.first == first, "who was known stays as he was")
    }

    @Test(arguments: [(5, 2), (10, 5), (3, 1), (1, 0)])
    func aPartIsSearchedHalfwayBetweenSearchesOfTheWhole(interval: Int, halfway: Int) {
        var regions = PersonRegions(.init(regions: 2, interval: interval), width: 640, height: 360, pixelAspect: 1)
        for frame in 0..<3 * interval {
            #expect(regions.isSearchDue == (frame % interval == 0))
            #expect(regions.isPartDue == (frame % interval == halfway))
            regions.follow([])
        }
    }

    @Test func aWindowShowsWhoIsWholeInIt() {
        let window = Rectangle(x: 140, y: 0, width: 360, height: 360)
        var regions = PersonRegions(.init(regions: 4, interval: 5), width: 640, height: 360, pixelAspect: 1)
        var mask = ScalarMap(width: 72, height: 72)
        for y in 40..<60 { for x in 20..<28 { mask.values[y * 72 + x] = 1 } }
        search(mask, of: window, &regions)
        let found = regions.rectangles
        #expect(found.count == 1 && found[0].x < 240 && found[0].maxX > 280 && found[0].width < 200)
        // The same at the window's left edge, beyond which the frame goes on.
        regions.reset()
        for y in 40..<60 { for x in 0..<8 { mask.values[y * 72 + x] = 1 } }
        for y in 40..<60 { for x in 20..<28 { mask.values[y * 72 + x] = 0 } }
        search(mask, of: window, &regions)
        #expect(regions.rectangles.isEmpty)
    }

    @Test func aWindowShowsNobodyTwice() {
        let window = Rectangle(x: 140, y: 0, width: 360, height: 360)
        var regions = regions(map((50..<62, 40..<70)))
        let known = regions.rectangles
        var mask = ScalarMap(width: 72, height: 72)
        for y in 40..<70 { for x in 22..<34 { mask.values[y * 72 + x] = 1 } }
        search(mask, of: window, &regions)
        #expect(known.count == 1 && regions.rectangles == known)
    }

    @Test func aStrangerIsAPersonWhereTheMaskIsSureAndThereIsBackground() throws {
        let box: Box = (50..<62, 40..<70)
        let unknown = regions(map())
        let stranger = try #require(unknown.strangers(in: map(box), of: frame).first)
        let region = stranger.region
        let person = part(region, box)
        #expect(unknown.isPerson(evidence(person), in: region))
        let soft = ScalarMap(width: 64, height: 64, values: person.values.map { 0.7 * $0 })
        #expect(!unknown.isPerson(evidence(soft), in: region))
        let full = ScalarMap(width: 64, height: 64, repeating: 1)
        #expect(!unknown.isPerson(evidence(full), in: region))
        #expect(!unknown.isPerson(evidence(ScalarMap(width: 64, height: 64)), in: region), "nobody")
        // Who fills the frame goes on beyond its edges.
        #expect(unknown.isPerson(evidence(full), in: frame))
    }

    @Test func aCloserLookTakesAwayWhatIsNoPartOfAStranger() throws {
        // A chair beside somebody is one with them in the whole frame's mask.
        let (person, both): (Box, Box) = ((50..<62, 40..<70), (50..<74, 40..<70))
        let stranger = try #require(regions(map()).strangers(in: map(both), of: frame).first)
        let narrowed = regions(map()).narrowed(stranger, to: part(stranger.region, person))
        let alone = try #require(regions(map()).strangers(in: map(person), of: frame).first)
        #expect(narrowed.region.intersectionOverUnion(alone.region) > 0.9)
        #expect(narrowed.box.width < 0.6 * stranger.box.width)
        // What is missing at an edge, or everywhere, changes nothing.
        let nearly = regions(map()).narrowed(stranger, to: part(stranger.region, (50..<72, 40..<70)))
        #expect(nearly.box == stranger.box)
        let none = regions(map()).narrowed(stranger, to: ScalarMap(width: 64, height: 64))
        #expect(none.box == stranger.box)
    }

    @Test func aDetectorSpeaksForAndAgainstStrangers() throws {
        let box: Box = (50..<62, 40..<70)
        let unknown = regions(map())
        let region = try #require(unknown.strangers(in: map(box), of: frame).first).region
        let person = part(region, box)
        func isPerson(
            _ map: ScalarMap, _ confidence: Double?, verification: Double = 0
        ) -> Bool {
            unknown.isPerson(
                evidence(map),
                certainty: confidence.map { .init(confidence: $0, verification: verification) }, in: region)
        }
        #expect(isPerson(person, 0.75) && !isPerson(person, 0.74) && isPerson(person, nil))
        #expect(isPerson(person, 0.5, verification: 1.25) && !isPerson(person, 0.5, verification: 1.24))
        // Whoever is found for sure is there, if the masks are weak; but a flood is no mask of anybody.
        let soft = ScalarMap(width: 64, height: 64, values: person.values.map { 0.7 * $0 })
        #expect(isPerson(soft, 0.8) && !isPerson(soft, nil))
        #expect(!isPerson(ScalarMap(width: 64, height: 64, repeating: 1), 0.99))
        // A raised arm goes on beyond the region.
        let arm = part(region, box, (12..<62, 40..<70))
        #expect(isPerson(arm, 0.75) && !isPerson(arm, 0.74, verification: 9))
    }

    // People don't shrink; a mask may fail for a moment.
    @Test func aRegionDoesNotCloseInOnAPartAtOnce() throws {
        var regions = regions(map((30..<70, 10..<72)))
        let first = try #require(regions.rectangles.first)
        regions.follow([part(first, (45..<52, 14..<22))])
        let second = try #require(regions.rectangles.first)
        #expect(second.width < first.width && second.width >= 0.79 * first.width)
        #expect(second.height >= 0.79 * first.height)
        for _ in 1...30 {
            let rectangle = try #require(regions.rectangles.first)
            regions.follow([part(rectangle, (45..<52, 14..<22))])
        }
        let last = try #require(regions.rectangles.first)
        #expect(last.width < 0.4 * first.width)
    }

    // In a small region a network may take what is beside somebody for a part of them, and in a large one not.
    @Test func aRegionThatShrinksTooFarIsWhatItWasInTheSameFrame() throws {
        let (person, chair): (Box, Box) = ((52..<64, 24..<44), (54..<62, 46..<72))
        var regions = regions(map((48..<68, 20..<60)))
        let first = try #require(regions.rectangles.first)
        regions.follow([part(first, person)])
        let small = try #require(regions.rectangles.first)
        try #require(small != first && small.union(first) == first)
        let hasChanged = regions.extend([part(small, person, chair)])
        #expect(hasChanged)
        #expect(regions.rectangles == [first])
        for _ in 1...4 {
            regions.follow([part(first, person)])
            #expect(regions.rectangles == [first], "it waits")
        }
        regions.follow([part(first, person)])
        #expect(regions.rectangles != [first])
    }

    // A corner of the frame holds two sides of a region where they are.
    @Test func aRegionClosesInOnWhoLeavesByACorner() throws {
        var regions = regions(map((64..<128, 30..<72)))
        for _ in 0..<20 { regions.follow([part(regions.rectangles[0], (116..<128, 56..<72))]) }
        let last = try #require(regions.rectangles.first)
        #expect(last.width < 160 && last.height < 160 && last.maxX == 640 && last.maxY == 360, "\(last)")
    }

    @Test func whereTheWholeFrameIsLookedAtNobodyIsKnownFromBefore() throws {
        var regions = regions(map((40..<60, 20..<60)))
        let large: Box = (4..<124, 2..<70)
        for _ in 1...9 where !regions.rectangles.isEmpty { regions.follow([part(regions.rectangles[0], large)]) }
        #expect(regions.rectangles.isEmpty && regions.isFilled)
        regions.leave()
        search(map((10..<20, 30..<60)), of: frame, &regions)
        // By whole cells of the mask.
        #expect(regions.known == [Rectangle(x: 40, y: 140, width: 60, height: 160)])
    }

    @Test func whoIsNoPersonIsNotTakenIn() throws {
        var regions = regions(map((40..<48, 20..<60)))
        let known = regions.rectangles
        regions.admit([])
        #expect(regions.rectangles == known && !regions.isFresh)
        var unknown = PersonRegions(.init(regions: 4, interval: 5), width: 640, height: 360, pixelAspect: 1)
        unknown.admit([])
        #expect(unknown.rectangles.isEmpty && !unknown.isFresh)
    }

    @Test func whoFillsTheFrameWithOthersIsNotFollowedToAPlaceOfOld() throws {
        var regions = regions(map((8..<20, 20..<60)))
        for step in 0..<10 {
            let rectangle = try #require(regions.rectangles.first)
            regions.follow([part(rectangle, (8 + step..<20 + step, 20..<60))])
        }
        search(map((40..<124, 2..<72)), of: frame, &regions)
        #expect(regions.rectangles.isEmpty && regions.isFilled)
        regions.admit([])
        #expect(regions.rectangles.isEmpty && regions.isFilled)
    }

    @Test func whoFillsTheFrameIsNotLostInABlur() {
        let (close, far): (Box, Box) = ((8..<120, 4..<72), (50..<62, 40..<70))
        var regions = regions(map())
        regions.look(evidence(map(close)))
        for _ in 1...2 {
            regions.look(evidence(soft(close)))
            #expect(regions.isFilled && !regions.isWholeDoubtful)
        }
        regions.look(evidence(soft(close)))
        #expect(!regions.isFilled && regions.isWholeDoubtful)
        // Who may be somebody gets a closer look.
        regions.look(evidence(soft(far)))
        #expect(regions.isWholeDoubtful && regions.takeSuspects().count == 1)
        regions.look(evidence(map(close)))
        #expect(regions.isFilled && !regions.isWholeDoubtful)
    }

    @Test func whoFillsTheFrameFromNowOnIsNotLostInAnOlderBlur() {
        let close: Box = (8..<120, 4..<72)
        var regions = regions(map())
        for _ in 1...3 { regions.look(evidence(soft(close))) }
        #expect(regions.isWholeDoubtful)
        // A closer look was sure.
        search(map(close), of: frame, &regions)
        #expect(regions.isFilled && !regions.isWholeDoubtful)
        regions.look(evidence(soft(close)))
        #expect(regions.isFilled && !regions.isWholeDoubtful)
    }

    @Test func somebodyElseAtTheEdgeIsNoFlood() throws {
        let (left, right): (Box, Box) = ((30..<48, 30..<70), (58..<76, 30..<70))
        let known = regions(map(left))
        let stranger = try #require(known.strangers(in: map(right), of: frame).first)
        let neighbour = try #require(known.rectangles.first)
        try #require(neighbour.maxX > stranger.region.x)
        // Filled where the other's region is.
        let wide = part(stranger.region, right, (0..<Int(neighbour.maxX / 5), 0..<72))
        #expect(known.isPerson(evidence(wide), in: stranger.region))
        #expect(!regions(map()).isPerson(evidence(wide), in: stranger.region))
        // Nor is somebody of whom it is not known yet whether they are there.
        #expect(regions(map()).isPerson(evidence(wide), in: stranger.region, besides: [neighbour]))
    }

    @Test func aMaskThatIsSoftAllOverIsDoubtful() {
        #expect(!evidence(map((50..<62, 40..<70))).isDoubtful)
        #expect(evidence(soft((50..<62, 40..<70))).isDoubtful)
        #expect(!evidence(ScalarMap(width: 64, height: 64, repeating: 0.3)).isDoubtful, "nobody to doubt")
    }

    @Test func theWholeFrameShowsPeopleOrNonsense() throws {
        let (close, far): (Box, Box) = ((8..<120, 4..<72), (50..<62, 40..<70))
        var regions = regions(map())
        regions.look(evidence(map(far)))
        #expect(!regions.isWholeDoubtful && !regions.isFilled)
        let suspects = regions.takeSuspects()
        #expect(suspects.count == 1 && regions.takeSuspects().isEmpty)
        // Only a closer look tells.
        #expect(regions.rectangles.isEmpty)
        regions.admit(suspects)
        #expect(regions.rectangles == [suspects[0].region])

        regions.reset()
        regions.look(evidence(map(close)))
        #expect(regions.isFilled && regions.takeSuspects().isEmpty)
        // Where the mask is soft nobody is known, and whoever else is there may be found.
        regions.reset()
        regions.look(evidence(soft(close)))
        #expect(!regions.isFilled && regions.isWholeDoubtful)
        #expect(regions.strangers(in: map(far), of: frame).count == 1)
        regions.look(evidence(map()))
        #expect(!regions.isWholeDoubtful, "nobody is there, nothing to doubt")
    }

    private func evidence(_ map: ScalarMap) -> PersonEvidence { PersonEvidence(map: map) }

    private func soft(_ box: Box) -> ScalarMap {
        let map = map(box)
        return ScalarMap(width: map.width, height: map.height, values: map.values.map { 0.7 * $0 })
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
        #expect(regions.rectangles.isEmpty && regions.isSearchDue && !regions.isFresh)
    }

    // Somebody who is lost time and again costs one search of everything a second.
    @Test func whoIsLostBesideSomebodyIsLookedForInTheirPlace() throws {
        let (left, right): (Box, Box) = ((8..<20, 40..<70), (100..<112, 40..<70))
        var regions = regions(map(left, right))
        let places = regions.rectangles.sorted { $0.x < $1.x }
        // The one on the right is gone for a frame.
        regions.follow(regions.rectangles.map { part($0, left) })
        #expect(regions.rectangles == [places[0]])
        var looks = 0
        for _ in 0..<100 {
            let suspects = regions.takeSuspects()
            #expect(suspects.isEmpty || regions.isSearchDue && suspects.map(\.region) == [places[1]])
            looks += suspects.count
            regions.follow(regions.rectangles.map { part($0, left) })
        }
        #expect(looks == 12, "in every fifth frame of 60")

        regions.follow(regions.rectangles.map { part($0) })
        #expect(regions.takeSuspects().isEmpty, "who is lost alone is searched for everywhere")
    }

    @Test func whoIsLostIsNotLookedForBehindSomebodyWhoFillsTheFrame() throws {
        let (left, right): (Box, Box) = ((8..<20, 40..<70), (100..<112, 40..<70))
        var regions = regions(map(left, right))
        regions.follow(regions.rectangles.map { part($0, left) })
        while !regions.rectangles.isEmpty { regions.follow(regions.rectangles.map { part($0, (0..<128, 0..<72)) }) }
        #expect(regions.isFilled)
        for _ in 0..<10 {
            #expect(regions.takeSuspects().isEmpty)
            regions.follow([])
        }
    }

    @Test func whoIsFoundAgainIsNotLookedForAnyMore() throws {
        let (left, right): (Box, Box) = ((8..<20, 40..<70), (100..<112, 40..<70))
        var regions = regions(map(left, right))
        regions.follow(regions.rectangles.map { part($0, left) })
        while !regions.isSearchDue { regions.follow(regions.rectangles.map { part($0, left) }) }
        regions.admit(regions.takeSuspects())
        #expect(regions.rectangles.count == 2)
        for _ in 0..<10 {
            regions.follow(regions.rectangles.map { part($0, left, right) })
            #expect(regions.takeSuspects().isEmpty)
        }
    }

    @Test func allIsSearchedForWhoIsLostButNotAgainAndAgain() throws {
        let person: Box = (40..<60, 20..<60)
        var regions = regions(map(person))
        for _ in 0..<40 { regions.follow([part(regions.rectangles[0], person)]) }
        for expected in [true, false] {
            regions.follow([ScalarMap(width: 64, height: 64)])
            #expect(regions.rectangles.isEmpty && regions.isFresh == expected)
            search(map(person), of: frame, &regions)
        }
    }

    // Two people side by side, low in the frame: squeezed into a square input they would be too narrow to be known.
    @Test func aRegionIsNeverMuchLongerThanHigh() throws {
        let found = try #require(regions(map((16..<84, 56..<72))).rectangles.first)
        #expect(found.width / found.height <= 1.51)
        #expect(found.x < 80 && found.maxX > 420 && found.y < 280 && found.maxY == 360)
        let upright = try #require(regions(map((60..<64, 0..<72))).rectangles.first)
        #expect(upright.height / upright.width <= 1.51 && upright.x < 300 && upright.maxX > 320)
    }

    @Test func aNetworkThatSeesThemUprightGetsNarrowerRegions() throws {
        func region(_ box: (x: Range<Int>, y: Range<Int>)) throws -> Rectangle {
            var regions = PersonRegions(
                .init(regions: 4, interval: 5), width: 640, height: 360, pixelAspect: 1, isTurnable: true)
            search(map(box), of: frame, &regions)
            return try #require(regions.rectangles.first)
        }
        let upright = try region((60..<64, 0..<72))
        #expect((1.99...2).contains(upright.height / upright.width) && upright.x < 300 && upright.maxX > 320)
        let (low, before) = (try region((16..<84, 56..<72)), regions(map((16..<84, 56..<72))).rectangles)
        #expect([low] == before, "lying they are seen as before")
    }

    @Test func peopleWhoFillTheFrameNeedNone() {
        #expect(regions(map((8..<120, 4..<72))).rectangles.isEmpty)
    }

    @Test func withoutPeopleThereIsNone() {
        #expect(regions(map()).rectangles.isEmpty)
        #expect(regions(map((10..<12, 14..<16))).rectangles.isEmpty, "four pixels are noise")
    }

    /// Somebody whom a detector found: the middle of their hips at (x, y), as far below the top of their head as above their feet.
    private func person(_ x: Double, _ y: Double, reach: Double) -> Detection {
        let (top, shoulders) = (SIMD2(x, y - reach), SIMD2(x, y - reach / 2))
        let face = [SIMD2(x - reach / 8, y - reach), SIMD2(x + reach / 8, y - 0.75 * reach)]
        return Detection(score: 0.9, points: face + [[x, y], top, shoulders, shoulders])
    }

    @Test func whomADetectorFoundIsAStrangerUntilTheyAreKnown() throws {
        var regions = regions(map())
        let person = person(250, 200, reach: 100)
        let stranger = try #require(regions.stranger(person))
        #expect(stranger.box == Rectangle(x: 200, y: 100, width: 100, height: 200), "half as wide as high")
        #expect(stranger.region.intersection(stranger.box) == stranger.box && stranger.region.area > stranger.box.area)
        regions.admit([stranger])
        #expect(regions.stranger(person) == nil)
        #expect(regions.stranger(self.person(500, 200, reach: 100)) != nil, "somebody else")
        let cutOff = try #require(regions.stranger(self.person(600, 340, reach: 100)))
        #expect(cutOff.box == Rectangle(x: 550, y: 240, width: 90, height: 120), "what of them is in the frame")
        #expect(regions.stranger(self.person(900, 200, reach: 100)) == nil, "beyond the frame")
    }

    @Test func aBodyIsSeenAsAWholeWhereTheFrameHoldsIt() {
        let regions = regions(map())
        #expect(regions.isWhole(person(250, 200, reach: 100)))
        #expect(regions.isWhole(person(620, 260, reach: 110)), "but for the toes, and a part of its width")
        #expect(!regions.isWhole(person(250, 300, reach: 100)))
        #expect(!regions.isWhole(person(250, 300, reach: 400)))
    }

    @Test func aBodyAsWideAsItIsShown() {
        let body = person(250, 200, reach: 100).body(pixelAspect: 2)
        #expect(body == Rectangle(x: 225, y: 100, width: 50, height: 200))
        // Who leans is as long as who stands.
        let leaning = Detection(score: 1, points: [[0, 0], [1, 1], [250, 200], [310, 120]])
        #expect(leaning.body(pixelAspect: 1).height == 200)
    }

    @Test func aStrangerIsWhereTheCloserLookShowsThem() throws {
        let regions = regions(map())
        let stranger = try #require(regions.stranger(person(250, 200, reach: 100)))
        let seen: Box = (44..<56, 22..<60)
        let fitted = regions.fitted(stranger, to: part(stranger.region, seen))
        #expect(fitted.box.intersectionOverUnion(Rectangle(x: 220, y: 110, width: 60, height: 190)) > 0.8)
        #expect(fitted.region.intersection(fitted.box) == fitted.box)
        let empty = regions.fitted(stranger, to: part(stranger.region))
        #expect(empty.box == stranger.box && empty.region == stranger.region, "nothing better is known")
    }
}
