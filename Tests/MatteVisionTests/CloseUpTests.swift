import Imaging
import Testing

@testable import MatteVision

extension CloseUp {
    /// Finds the square for the only person in `mask`.
    fileprivate mutating func place(in mask: ScalarMap, width: Int, height: Int, pixelAspect: Double) {
        let person = CloseUp.person(in: mask, width: width, height: height)
        place(person, in: mask, width: width, height: height, pixelAspect: pixelAspect)
    }
}

/// Where people are looked at from nearer by, and what comes of it.
struct CloseUpTests {
    /// A picture of 200 by 160 pixels, at a quarter of its size, with ones in `parts` (columns, rows).
    private func mask(_ parts: (Range<Int>, Range<Int>)...) -> ScalarMap {
        var map = ScalarMap(width: 50, height: 40)
        for (columns, rows) in parts {
            for y in rows { for x in columns { map.values[y * 50 + x] = 1 } }
        }
        return map
    }

    private func placed(_ mask: ScalarMap, share: Double = 0.5, pixelAspect: Double = 1) -> CloseUp {
        var closeUp = CloseUp(share: share)
        closeUp.place(in: mask, width: 200, height: 160, pixelAspect: pixelAspect)
        return closeUp
    }

    /// Head and shoulders: 128 pixels high, the head around column 100.
    private var person: ScalarMap { mask((22..<28, 8..<20), (12..<38, 20..<40)) }

    @Test func theSquareIsAboutTheHead() throws {
        let square = try #require(placed(person).square)
        #expect(square.width == 64 && square.height == 64)
        #expect(square.y == (32 - 0.12 * 64).rounded())
        #expect(square.midX == 100)
    }

    @Test func whereTheHeadIsTheRestIsNoMatter() throws {
        // An arm far out at one side, below the square's upper half.
        let square = try #require(placed(mask((22..<28, 8..<20), (0..<38, 20..<40))).square)
        #expect(square.midX == 100)
    }

    @Test func pixelsThatAreNotSquareMakeItNarrower() throws {
        let square = try #require(placed(person, pixelAspect: 2).square)
        #expect(square.width == 32 && square.height == 64 && square.midX == 100)
    }

    @Test func itStaysInThePicture() throws {
        let square = try #require(placed(mask((0..<6, 0..<40)), share: 0.7).square)
        #expect(square == Rectangle(x: 0, y: 0, width: 112, height: 112))
    }

    @Test func nobodyOrTwoAreNotLookedAt() {
        #expect(placed(mask()).square == nil)
        #expect(placed(mask((4..<14, 4..<36), (30..<40, 4..<36))).square == nil)
        // A crumb is nobody.
        #expect(placed(mask((4..<14, 4..<36), (40..<44, 30..<36))).square != nil)
    }

    @Test func whatShowsAsMuchAsThePictureIsNotLookedAt() {
        #expect(placed(mask((10..<40, 0..<40)), share: 0.9).square != nil)
        #expect(placed(mask((10..<40, 0..<40)), share: 1).square == nil)
        #expect(placed(mask((20..<24, 4..<7)), share: 0.5).square == nil, "hardly any pixels")
    }

    @Test func itRestsWhileItShowsAboutTheSame() throws {
        var closeUp = placed(person)
        let first = try #require(closeUp.square)
        closeUp.place(in: mask((23..<29, 8..<20), (13..<39, 20..<40)), width: 200, height: 160, pixelAspect: 1)
        #expect(closeUp.square == first)
        closeUp.place(in: mask((29..<35, 8..<20), (19..<45, 20..<40)), width: 200, height: 160, pixelAspect: 1)
        #expect(closeUp.square?.midX == 128)
        closeUp.reset()
        #expect(closeUp.square == nil && closeUp.weight == 0)
    }

    @Test func whatDisagreesLosesItsWeightAndGetsItBackStepByStep() {
        var closeUp = placed(person)
        var weights: [Float] = []
        for agreement in [0.95, 0.8, 0.8, 0.95, 0.95, 0.95] {
            closeUp.look(agreement: agreement)
            weights.append(closeUp.weight)
        }
        #expect(weights == [1, 0.75, 0.5, 0.75, 1, 1])
        var other = placed(person)
        other.look(agreement: 0.5)
        #expect(other.weight == 0)
    }

    @Test func whoComesBackCountsLittleByLittle() {
        var closeUp = placed(person)
        closeUp.look(agreement: 1)
        #expect(closeUp.weight == 1)
        closeUp.place(in: mask((4..<14, 4..<36), (30..<40, 4..<36)), width: 200, height: 160, pixelAspect: 1)
        #expect(closeUp.square == nil && closeUp.weight == 0)
        closeUp.place(in: person, width: 200, height: 160, pixelAspect: 1)
        closeUp.look(agreement: 1)
        #expect(closeUp.weight == 0.25)
    }

    @Test func aSquareIsOfItsPicture() {
        var closeUp = placed(person)
        closeUp.place(in: person, width: 190, height: 152, pixelAspect: 1)
        #expect(closeUp.square?.height == (0.5 * 128 * 152 / 160).rounded())
    }

    @Test func agreementIsOfThePeopleInTheSquare() throws {
        let closeUp = placed(person)
        let square = try #require(closeUp.square)
        #expect(square.x > 0 && square.y > 0)
        // Its left half.
        var map = ScalarMap(width: 200, height: 160)
        for y in Int(square.y)..<Int(square.maxY) {
            for x in Int(square.x)..<Int(square.midX) { map.values[y * 200 + x] = 1 }
        }
        var near = ScalarMap(width: 16, height: 16)
        #expect(closeUp.agreement(near, ScalarMap(width: 200, height: 160)) == 1, "nobody in either")
        #expect(closeUp.agreement(near, map) == 0)
        for y in 0..<16 { for x in 0..<8 { near.values[y * 16 + x] = 1 } }
        #expect(closeUp.agreement(near, map) == 1)
        for y in 0..<16 { for x in 8..<16 { near.values[y * 16 + x] = 1 } }
        #expect(closeUp.agreement(near, map) == 0.5)
    }

    @Test func whatIsSeenFromNearerByCountsInTheSquareAndFadesOutInside() throws {
        var closeUp = placed(person)
        let square = try #require(closeUp.square)
        let (left, top, side) = (Int(square.x), Int(square.y), Int(square.width))
        // As fine as the square's pixels: rises to the right.
        let near = ScalarMap(
            width: side, height: side, values: (0..<side * side).map { Float($0 % side) / Float(side) })
        var maps = [ScalarMap(width: 200, height: 160), ScalarMap(width: 200, height: 160, repeating: 1)]
        let before = maps
        func put() { for index in maps.indices { closeUp.put(near, into: &maps[index], with: MapEnlarger()) } }
        put()
        #expect(maps == before, "nothing counts before it was looked at")
        closeUp.look(agreement: 1)
        put()
        var wrong = 0
        for y in 0..<160 {
            for x in 0..<200 {
                let (column, row) = (x - left, y - top)
                let isInside = (0..<side).contains(column) && (0..<side).contains(row)
                let edge = Float(min(column, row, side - 1 - column, side - 1 - row)) + 0.5
                for (map, own) in zip(maps, [Float(0), 1]) {
                    let full = isInside ? own + (Float(column) / Float(side) - own) * 0.65 : own
                    // In full but near the square's sides, and hardly at all at them.
                    let (change, whole) = (map.values[y * 200 + x] - own, full - own)
                    let isRight =
                        edge >= Float(side) / 8 || !isInside
                        ? abs(change - whole) < 1e-5
                        : abs(change) <= abs(whole) + 1e-6 && (edge > 1 || abs(change) < 0.1)
                    if !isRight { wrong += 1 }
                }
            }
        }
        #expect(wrong == 0)
    }

    @Test func nothingFadesAtThePicturesEdge() throws {
        var closeUp = placed(mask((0..<6, 8..<40)))
        #expect(closeUp.square == Rectangle(x: 0, y: 24, width: 64, height: 64))
        closeUp.look(agreement: 1)
        var map = ScalarMap(width: 200, height: 160)
        closeUp.put(ScalarMap(width: 16, height: 16, repeating: 1), into: &map, with: MapEnlarger())
        #expect(map.values[56 * 200] == 0.65 && map.values[56 * 200 + 63] < 0.1)
    }
}
