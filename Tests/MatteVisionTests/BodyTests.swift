import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct BodyTests {
    private func library() -> ModelLibrary { ModelLibrary(directory: Checkout.models) }

    private func description(_ name: String) throws -> ModelDescription {
        try #require(try library().manifest().models.first { $0.name == name })
    }

    private func network() throws -> BodyNetwork {
        try BodyNetwork(description("pose_landmark_full"), library: library())
    }

    private let person = DrawnPerson(x: 100, top: 15, height: 150)

    // What the network sees of a picture, at its size.
    private func map(_ body: Body, _ picture: RGBPicture) -> ScalarMap {
        var map = ScalarMap(width: picture.width, height: picture.height)
        body.draw(
            Rectangle(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height)), pixelAspect: 1,
            into: &map)
        return map
    }

    private func intersectionOverUnion(_ map: ScalarMap, _ truth: (Int, Int) -> Bool) -> Double {
        var (both, either) = (0, 0)
        for y in 0..<map.height {
            for x in 0..<map.width {
                let (a, b) = (map.values[y * map.width + x] > 0.5, truth(x, y))
                if a && b { both += 1 }
                if a || b { either += 1 }
            }
        }
        return Double(both) / Double(max(1, either))
    }

    // By the network in OpenVINO's Python interface, decoded by hand, of the picture turned and shrunk by OpenCV.
    @Test func theNetworksAnswerIsReadAsItIsMeant() throws {
        let picture = try RGBPicture(fixture: "anna_048.png")
        let square = TurnedSquare(x: 321, y: 572, side: 1277, rotation: 0.027)
        let body = try network().look(at: square, in: picture.frame())
        #expect(body.presence > 0.99)
        #expect(body.wholeness < 0.1, "she is seen from the waist up")
        // From the middle of the hips at (333.3, 576.1) to (335.5, 55.7).
        #expect(abs(body.square.x - 333.3) < 6 && abs(body.square.y - 576.1) < 6, "\(body.square)")
        #expect(abs(body.square.side - 1301) < 25 && abs(body.square.rotation - 0.004) < 0.02, "\(body.square)")
        let mask = map(body, picture)
        let mean = mask.values.reduce(0, +) / Float(mask.values.count)
        #expect(abs(mean - 0.251) < 0.006, "\(mean)")
    }

    @Test(arguments: 0...3)
    func aWholePersonIsKnownWhicheverWayUp(_ quarters: Int) throws {
        let picture = person.picture(width: 200, height: 180).turned(quarters)
        let detector = try PersonDetector(description("pose_detection"), library: library())
        let whole = Rectangle(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
        let squares = try detector.bodies(in: whole, of: picture.frame(), pixelAspect: 1)
        let square = try #require(squares.first)
        #expect(squares.count == 1)
        let first = try network().look(at: square, in: picture.frame())
        let body = try network().look(at: first.square, in: picture.frame())
        #expect(body.presence > 0.9 && body.wholeness > 0.8)
        #expect(
            intersectionOverUnion(map(body, picture)) { x, y in
                // Back to where the person was drawn.
                let (column, row) =
                    switch quarters {
                    case 1: (y, 179 - x)
                    case 2: (199 - x, 179 - y)
                    case 3: (199 - y, x)
                    default: (x, y)
                    }
                return person.color(column, row) != nil
            } > 0.85)
    }

    @Test func whoseFeetAreOutOfTheFrameIsNotWhole() throws {
        let picture = DrawnPerson(x: 100, top: 30, height: 300).picture(width: 200, height: 180)
        let body = try network().look(
            at: TurnedSquare(center: [100, 180], reach: [100, 20]), in: picture.frame())
        #expect(body.wholeness == 0)
    }

    @Test func whereNobodyIsThereIsNoBody() throws {
        let body = try network().look(
            at: TurnedSquare(x: 100, y: 90, side: 150, rotation: 0),
            in: RGBPicture.gray(width: 200, height: 180).frame())
        #expect(body.presence < 0.5 && body.wholeness < 0.5)
    }

    @Test func aSquareStandsOnItsHips() {
        let upright = TurnedSquare(center: [100, 200], reach: [100, 120])
        #expect(upright == TurnedSquare(x: 100, y: 200, side: 200, rotation: 0))
        let lying = TurnedSquare(center: [100, 200], reach: [180, 200])
        #expect(abs(lying.rotation - .pi / 2) < 1e-9 && lying.side == 200)
    }

    // A body of 8 by 8 pixels, clear at its border, whose pixel is 10 of the frame's, from (40, 20) on.
    private var block: Body {
        var mask = ScalarMap(width: 8, height: 8)
        for y in 1..<7 { for x in 1..<7 { mask.values[y * 8 + x] = 1 } }
        return Body(
            presence: 1, wholeness: 1, square: TurnedSquare(x: 80, y: 60, side: 80, rotation: 0), mask: mask,
            toFrame: AffineTransform(a: 10, b: 0, tx: 44.5, c: 0, d: 10, ty: 24.5))
    }

    @Test func aBodyIsDrawnInItsPlace() {
        var map = ScalarMap(width: 200, height: 150)
        block.draw(Rectangle(x: 0, y: 0, width: 200, height: 150), pixelAspect: 1, into: &map)
        for (y, x) in (0..<150).flatMap({ y in (0..<200).map { (y, $0) } }) {
            let value = map.values[y * 200 + x]
            // The middles of the outermost pixels of ones are at 55 and 105, 35 and 85; those of zeros ten further.
            if (55..<105).contains(x) && (35..<85).contains(y) { #expect(value == 1) }
            if x < 45 || x >= 115 || y < 25 || y >= 95 { #expect(value == 0) }
        }
        var part = ScalarMap(width: 25, height: 30)
        block.draw(Rectangle(x: 50, y: 30, width: 50, height: 60), pixelAspect: 1, into: &part)
        for y in 0..<30 {
            for x in 0..<25 {
                let (left, up) = (50 + 2 * x, 30 + 2 * y)
                let mean =
                    (map.values[up * 200 + left] + map.values[up * 200 + left + 1] + map.values[up * 200 + 200 + left]
                        + map.values[up * 200 + left + 201]) / 4
                #expect(abs(part.values[y * 25 + x] - mean) < 0.06)
            }
        }
    }

    @Test func squeezedPixelsAreDrawnAsTheyAreShown() {
        var (square, wide) = (ScalarMap(width: 50, height: 75), ScalarMap(width: 50, height: 75))
        block.draw(Rectangle(x: 0, y: 0, width: 200, height: 150), pixelAspect: 1, into: &square)
        block.draw(Rectangle(x: 0, y: 0, width: 100, height: 150), pixelAspect: 2, into: &wide)
        for (a, b) in zip(square.values, wide.values) { #expect(abs(a - b) < 1e-4) }
    }

    // The mask of a picture at the level that knows bodies, of which it looks at so many; of small networks, which know bodies less.
    private func mask(_ picture: RGBPicture, bodies: Int) throws -> ScalarMap {
        let models = library()
        let plan = try LevelPlan(level: "accurate", networks: LoadedNetworks(models), aspect: 1)
        let networks = try plan.load(LoadedNetworks(models))
        #expect(networks.bodies.count == LevelPlan.bodies)
        let small = try ["selfie_segmentation", "selfie_segmentation_landscape"].map { name in
            let description = try #require(try models.manifest().model(name))
            return try SegmentationNetwork(description, directory: try models.resolvedDirectory(), library: models)
        }
        let pass = RegionPass(
            plan.level,
            networks: .init(
                segmentation: small, witnesses: [], matting: networks.matting, detector: networks.detector,
                bodies: networks.bodies),
            pixelAspect: 1)
        pass.move(to: Rectangle(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height)))
        try pass.segment(picture.frame(), bodies: bodies)
        return pass.map
    }

    @Test func whoIsSeenWholeIsKnownBetterAtTheLevelThatKnowsBodies() throws {
        let picture = person.picture(width: 200, height: 180)
        func fit(_ map: ScalarMap) -> Double {
            intersectionOverUnion(map) { person.color($0 * 200 / map.width, $1 * 180 / map.height) != nil }
        }
        let (with, without) = (try mask(picture, bodies: 1), try mask(picture, bodies: 0))
        #expect(fit(with) > fit(without), "\(fit(with)) \(fit(without))")
    }

    @Test func twoPeopleAreBothSeenWhole() throws {
        let people = [DrawnPerson(x: 70, top: 20, height: 150), DrawnPerson(x: 190, top: 35, height: 140)]
        func color(_ x: Int, _ y: Int) -> SIMD3<UInt8>? { people.lazy.compactMap { $0.color(x, y) }.first }
        let picture = RGBPicture(width: 260, height: 180) { color($0, $1) ?? [150, 150, 150] }
        func fit(_ bodies: Int) throws -> Double {
            let map = try mask(picture, bodies: bodies)
            return intersectionOverUnion(map) { color($0 * 260 / map.width, $1 * 180 / map.height) != nil }
        }
        let fits = try (0...2).map(fit)
        #expect(fits[0] < fits[1] && fits[1] < fits[2], "\(fits)")
    }

    @Test func bodiesAreTheSameWhereHalfOfTheSmallerIsBoths() {
        func map(_ columns: Range<Int>) -> ScalarMap {
            ScalarMap(width: 10, height: 1, values: (0..<10).map { columns.contains($0) ? 1 : 0 })
        }
        #expect(BodyLook.isSame(map(0..<8), map(6..<10)) && BodyLook.isSame(map(6..<10), map(0..<8)))
        #expect(!BodyLook.isSame(map(0..<7), map(6..<10)))
        #expect(!BodyLook.isSame(map(0..<0), map(6..<10)), "out of sight")
    }

    @Test func whoIsNotSeenWholeIsLeftToTheOthers() throws {
        let picture = try RGBPicture(fixture: "anna_048.png")
        #expect(try mask(picture, bodies: 2) == mask(picture, bodies: 0))
    }
}
