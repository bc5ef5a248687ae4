import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct PersonDetectorTests {
    private func detector() throws -> PersonDetector {
        let library = ModelLibrary.exact
        let installed = try library.installed()
        return try PersonDetector(
            installed.model("pose_detection"), faces: installed.faceModel(\.detector), library: library)
    }

    private func whole(_ picture: RGBPicture) -> Rectangle {
        Rectangle(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
    }

    private func best(_ picture: RGBPicture, sampleAspectRatio: Rational = Rational(1, 1)) throws -> Detection {
        try #require(
            try detector().detect(in: whole(picture), of: picture.frame(sampleAspectRatio: sampleAspectRatio)).first)
    }

    // A grey picture with the person of the fixture, a quarter as large, in the place.
    private func farAway(x: Int, y: Int) throws -> RGBPicture {
        let person = try RGBPicture(fixture: "anna_048.png")
        return RGBPicture(width: 640, height: 360) { column, row in
            guard column >= x, row >= y, column < x + 160, row < y + 90 else { return [128, 128, 128] }
            return person[4 * (column - x), 4 * (row - y)]
        }
    }

    @Test func anchorsCoverThreeGrids() throws {
        let anchors = PersonDetector.anchors(inputSize: 224)
        #expect(anchors.centers.count == 2254 && anchors.numbersPerAnchor == 12)
        #expect(anchors.centers[0] == [0.5 / 28, 0.5 / 28] && anchors.centers[2] == [1.5 / 28, 0.5 / 28])
        // 28 x 28 cells with 2 anchors each, 14 x 14 with 2, 7 x 7 with 6.
        #expect(anchors.centers[1568] == [0.5 / 14, 0.5 / 14] && anchors.centers[1960] == [0.5 / 7, 0.5 / 7])
        #expect(anchors.centers[1966] == [1.5 / 7, 0.5 / 7])
    }

    // By the network in OpenVINO's Python interface, decoded by hand, of the picture shrunk by OpenCV.
    @Test func theDetectorsAnswerIsReadAsItIsMeant() throws {
        let found = try best(RGBPicture(fixture: "anna_048.png"))
        #expect(abs(found.score - 0.79) < 0.03, "\(found.score)")
        let box = found.box
        for (side, expected) in [(box.x, 264.7), (box.y, 147.7), (box.maxX, 392.6), (box.maxY, 275.5)] {
            #expect(abs(side - expected) < 3, "\(box)")
        }
        // Between the hips, the reach of the body, between the shoulders, the reach of its upper half.
        let expected: [SIMD2<Double>] = [[321, 572.8], [334.9, 63.2], [331.5, 277.1], [337.2, -99.1]]
        for (point, place) in zip(found.points.dropFirst(2), expected) {
            #expect(abs(point.x - place.x) < 12 && abs(point.y - place.y) < 12, "\(point)")
        }
    }

    @Test(arguments: 1...3)
    func peopleAreFoundWhicheverWayUpTheyAre(_ quarters: Int) throws {
        let person = try RGBPicture(fixture: "anna_048.png").turned(quarters)
        #expect(try best(person).score > 0.7)
    }

    // That of all of the frame, or of a part of it.
    private func turn(_ frame: VideoFrame, in part: Rectangle? = nil) throws -> Int? {
        let (width, height) = frame.uprightSize
        let whole = Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
        return try detector().look(at: part ?? whole, of: frame).turn
    }

    @Test func whoeverIsLikelyThereIsToldWithTheTurn() throws {
        let near = Rectangle(x: 0, y: 0, width: 360, height: 360)
        let look = try detector().look(at: near, of: farAway(x: 140, y: 190).frame())
        #expect(look.turn == 0 && look.people.count == 1)
        let face = try #require(look.people.first).box
        // A quarter of what the fixture's is.
        #expect(abs(face.midX - 222) < 8 && abs(face.midY - 243) < 8, "\(face)")
        #expect(try detector().look(at: near, of: RGBPicture.gray(width: 640, height: 360).frame()).people.isEmpty)
    }

    @Test func whoeverIsFarAwayIsTurnedByAPartOfTheFrame() throws {
        let near = Rectangle(x: 0, y: 0, width: 360, height: 360)
        for quarters in 0...3 {
            let frame = try farAway(x: 140, y: 190).turned(2).turned(quarters).frame()
            let (width, height) = frame.uprightSize
            // The half with the person, as it lies then.
            let part = near.applying(.scale(1 / 640.0, 1 / 360))
                .applying(Orientation.up.turned(by: 2 + quarters).uprightToStored.inverse)
                .applying(.scale(Double(width), Double(height)))
            #expect(try turn(frame, in: part) == (6 - quarters) % 4)
        }
        #expect(try turn(farAway(x: 140, y: 190).turned(2).frame()) == nil, "of all of the frame")
    }

    @Test(arguments: 0...3)
    func itIsKnownHowPeopleHaveToBeTurned(_ quarters: Int) throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        #expect(try turn(person.turned(quarters).frame()) == (4 - quarters) % 4)
        let stored = person.frame(orientation: .up.turned(by: quarters))
        #expect(try turn(stored) == (4 - quarters) % 4, "as it is shown")
        let squeezed = person.squeezed(to: 160).turned(quarters)
        let aspect = quarters % 2 == 0 ? Rational(4, 1) : Rational(1, 4)
        #expect(try turn(squeezed.frame(sampleAspectRatio: aspect)) == (4 - quarters) % 4)
    }

    @Test func whoeverLeansOrDiffersIsNotTurned() throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        let leaning = RGBPicture(width: 640, height: 640) { x, y in
            let (right, down) = (Double(x) - 320, Double(y) - 320)
            let (column, row) = (320 + (right + down) * 0.7071, 180 + (down - right) * 0.7071)
            return (0..<640).contains(column) && (0..<360).contains(row)
                ? person[Int(column), Int(row)] : [128, 128, 128]
        }
        #expect(try !detector().detect(in: whole(leaning), of: leaning.frame()).isEmpty)
        #expect(try turn(leaning.frame()) == nil)
        #expect(try turn(RGBPicture.gray(width: 640, height: 360).frame()) == nil)
        // One beside the other, who stands on the head.
        let half = person.columns(from: 160, count: 360)
        #expect(try turn(half.beside(half).frame()) == 0)
        #expect(try turn(half.beside(half.turned(2)).frame()) == 0)
        #expect(try turn(half.turned(2).beside(half).frame()) == 0)
        #expect(try turn(half.turned(2).beside(half.turned(2)).frame()) == 2)
    }

    @Test func aDetectionMovesWithThePerson() throws {
        let (left, right) = (try best(farAway(x: 20, y: 40)), try best(farAway(x: 420, y: 240)))
        #expect(left.score > 0.3 && right.score > 0.3)
        #expect(abs(right.box.midX - left.box.midX - 400) < 10 && abs(right.box.midY - left.box.midY - 200) < 10)
    }

    @Test func aRegionIsSeenInTheFramesPlaces() throws {
        let picture = try farAway(x: 400, y: 240)
        let region = Rectangle(x: 390, y: 225, width: 180, height: 120)
        let closer = try #require(try detector().detect(in: region, of: picture.frame()).first)
        #expect(closer.score > 0.6)
        #expect(Rectangle(x: 440, y: 250, width: 80, height: 80).intersection(closer.box).area > 0.5 * closer.box.area)
    }

    @Test func squeezedPixelsAreShownAsTheyAreMeant() throws {
        let picture = try RGBPicture(fixture: "anna_048.png")
        let (square, wide) = (try best(picture), try best(picture.squeezed(to: 320), sampleAspectRatio: Rational(2, 1)))
        #expect(abs(square.score - wide.score) < 0.05)
        #expect(abs(square.box.midX - 2 * wide.box.midX) < 4 && abs(square.box.midY - wide.box.midY) < 4)
    }

    private func confidence(
        _ mask: ScalarMap, _ picture: RGBPicture, besides others: Rectangle...
    ) throws -> Double {
        try detector().sighting(
            in: mask, of: whole(picture), besides: others, frame: picture.frame()
        ).confidence
    }

    private func mask(_ columns: Range<Int>, _ rows: Range<Int>) -> ScalarMap {
        var map = ScalarMap(width: 128, height: 72)
        for y in rows { for x in columns { map.values[y * 128 + x] = 1 } }
        return map
    }

    @Test func aSureFaceLeavesNoDoubt() throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        // The head alone, squeezed a little.
        let picture = RGBPicture(width: 320, height: 400) { x, y in person[218 + x * 220 / 320, 101 + y * 220 / 400] }
        let people = try detector().detect(in: whole(picture), of: picture.frame())
        #expect((0.28..<PersonCertainty.sure).contains(try #require(people.first).score))
        #expect(try confidence(mask(0..<128, 0..<72), picture) == PersonCertainty.sure)
    }

    @Test func aFaceHasItsSayWhereTheDetectorIsUnsure() throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        // A head in glaring light, squeezed: detectors of people and of faces have different weaknesses.
        let picture = RGBPicture(width: 320, height: 212) { x, y in
            let pixel = person[228 + x * 200 / 320, 111 + y * 300 / 320]
            return pixel &+ pointwiseMin(255 &- pixel, SIMD3(repeating: 140))
        }
        let people = try detector().detect(in: whole(picture), of: picture.frame())
        #expect(try #require(people.first).score < 0.3)
        #expect(try confidence(mask(0..<128, 0..<72), picture) == PersonDetector.seen)
        #expect(try confidence(mask(0..<20, 0..<72), picture) < 0.3, "a mask of something else")
    }

    @Test(arguments: [0.0, 0.7, -0.5]) func aSightingTellsHowFarSomebodyLeans(_ lean: Double) throws {
        let picture = try RGBPicture(fixture: "anna_048.png").turned(by: lean)
        let sighting = try detector().sighting(
            in: mask(0..<128, 0..<72), of: whole(picture), besides: [], frame: picture.frame())
        #expect(sighting.confidence > 0.3 && abs(sighting.lean - lean) < 0.2, "\(sighting)")
    }

    @Test func aMaskIsBelievedWhereItCoversSomebody() throws {
        let picture = try farAway(x: 400, y: 240)
        #expect(try confidence(mask(88..<106, 48..<66), picture) > 0.6, "by a closer look")
        #expect(try confidence(mask(0..<128, 0..<72), picture) > 0.6, "by all of the picture")
        #expect(try confidence(mask(10..<40, 20..<60), picture) == 0, "of something else")
        // A flood beside somebody who is known goes on to them.
        let known = Rectangle(x: 440, y: 240, width: 80, height: 90)
        #expect(try confidence(mask(0..<128, 0..<72), picture, besides: known) < 0.3)
        #expect(try confidence(mask(0..<0, 0..<0), picture) == 0)
        #expect(try confidence(mask(20..<100, 10..<70), .gray(width: 640, height: 360)) < 0.1)
    }
}
