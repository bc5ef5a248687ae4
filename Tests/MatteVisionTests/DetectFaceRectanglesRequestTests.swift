import Foundation
import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct DetectFaceRectanglesRequestTests {
    private let models = ModelLibrary(directory: Checkout.models)
    /// The head looks straight at the camera.
    private let frontal: RGBPicture
    /// The head is turned to the picture's left.
    private let turnedLeft: RGBPicture

    init() throws {
        frontal = try RGBPicture(fixture: "anna_000.png")
        turnedLeft = try RGBPicture(fixture: "anna_024.png")
    }

    private func request(maximumFaceCount: Int = 4) -> DetectFaceRectanglesRequest {
        DetectFaceRectanglesRequest(models: models, maximumFaceCount: maximumFaceCount)
    }

    private func fresh(_ picture: RGBPicture) throws -> [FaceObservation] {
        try request().perform(on: picture.frame())
    }

    private func differenceInDegrees(_ a: Double, _ b: Double) -> Double {
        abs((a - b).remainder(dividingBy: 2 * .pi)) * 180 / .pi
    }

    @Test func aFaceIsFollowedAndStaysWhereItIs() throws {
        let request = request()
        let first = try request.perform(on: frontal.frame(0))
        #expect(first.count == 1)
        for pts in 1...4 {
            let faces = try request.perform(on: frontal.frame(Int64(pts)))
            #expect(faces.count == 1)
            #expect(faces[0].boundingBox.intersectionOverUnion(first[0].boundingBox) > 0.95)
            #expect(differenceInDegrees(faces[0].roll, first[0].roll) < 1)
            #expect(differenceInDegrees(faces[0].yaw, first[0].yaw) < 1)
            #expect(differenceInDegrees(faces[0].pitch, first[0].pitch) < 2)
        }
    }

    @Test func boxHoldsTheFace() throws {
        let box = try fresh(frontal)[0].boundingBox
        // The truth of the rendered picture, from the hairline to the chin, which the mesh's forehead does not reach.
        let truth = Rectangle(x: 301.4 / 640, y: 80.7 / 360, width: 110.3 / 640, height: 140.2 / 360)
        #expect(box.intersectionOverUnion(truth) > 0.7)
        #expect(abs(box.maxY - truth.maxY) < 5 / 360.0)
    }

    @Test func resetEqualsAFreshRequest() throws {
        let request = request()
        for pts in 0..<3 { _ = try request.perform(on: frontal.frame(Int64(pts))) }
        request.reset()
        #expect(try request.perform(on: frontal.frame(3)) == fresh(frontal))
    }

    @Test func anotherSizeBeginsAnew() throws {
        let request = request()
        for pts in 0..<3 { _ = try request.perform(on: frontal.frame(Int64(pts))) }
        let narrow = frontal.columns(from: 0, count: 600)
        #expect(try request.perform(on: narrow.frame(3)) == fresh(narrow))
    }

    @Test func timeGoingBackwardsBeginsAnew() throws {
        let request = request()
        for pts in 10..<13 { _ = try request.perform(on: frontal.frame(Int64(pts))) }
        // The next one would differ a little: its region has settled.
        #expect(try request.perform(on: frontal.frame(9)) == fresh(frontal))
    }

    @Test func anotherSceneBeginsAnew() throws {
        let request = request()
        for pts in 0..<4 { _ = try request.perform(on: frontal.frame(Int64(pts))) }
        // The old region holds a part of the new face, which the mesh would take for one.
        let mirrored = turnedLeft.mirrored
        let faces = try request.perform(on: mirrored.frame(4))
        #expect(faces.map(\.faceID) == [1], "it is another face")
        #expect(faces.map(\.unnumbered) == (try fresh(mirrored).map(\.unnumbered)))
    }

    /// Also where the larger one goes and another one comes.
    @Test func facesKeepTheirNumbers() throws {
        let request = request()
        let pair = try pair()
        let alone = RGBPicture(width: 600, height: 360) { x, y in x < 300 ? [128, 128, 128] : pair[x, y] }
        var both = try request.perform(on: pair.frame(0))
        try #require(both.map(\.faceID).sorted() == [0, 1])
        let right = both[1].faceID
        for pts in 1..<4 { both = try request.perform(on: pair.frame(Int64(pts))) }
        #expect(both.map(\.faceID) == [1 - right, right])
        for pts in 4..<7 { #expect(try request.perform(on: alone.frame(Int64(pts))).map(\.faceID) == [right]) }
        for pts in 7..<30 { both = try request.perform(on: pair.frame(Int64(pts))) }
        #expect(both.map(\.faceID) == [2, right])
        request.reset()
        #expect(try request.perform(on: frontal.frame(0)).map(\.faceID) == [0])
    }

    /// The camera has two buffers, and waits until one of them is free.
    @Test func framesAreNotKept() throws {
        final class Lender {
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: 640 * 360, alignment: 64)
            init() { bytes.initializeMemory(as: UInt8.self, repeating: 90, count: 640 * 360) }
            deinit { bytes.deallocate() }
        }
        let request = request()
        weak var lender: Lender?
        do {
            let owner = Lender()
            lender = owner
            let plane = Plane(base: owner.bytes, bytesPerRow: 640, width: 640, height: 360)
            let picture = PixelBuffer(format: .gray8, width: 640, height: 360, planes: [plane], owner: owner)
            _ = try request.perform(on: VideoFrame(pixelBuffer: picture, pts: 0, timeBase: Rational(1, 30)))
        }
        #expect(lender == nil)
    }

    @Test func aSceneWithoutAFaceHasNone() throws {
        let request = request()
        let gray = RGBPicture.gray(width: 640, height: 360)
        #expect(try request.perform(on: gray.frame(0)).isEmpty)
        for pts in 1..<3 { #expect(try request.perform(on: frontal.frame(Int64(pts))).count == 1) }
        #expect(try request.perform(on: gray.frame(3)).isEmpty)
        #expect(try request.perform(on: frontal.frame(4)).count == 1)
    }

    @Test(arguments: 1...3)
    func aFaceIsReadAtEveryTurn(quarters: Int) throws {
        let upright = try fresh(frontal)
        let turned = try fresh(frontal.turned(quarters))
        try #require(upright.count == 1 && turned.count == 1)
        // Turned clockwise, and roll counts the other way.
        #expect(differenceInDegrees(turned[0].roll, upright[0].roll - Double(quarters) * .pi / 2) < 1)
        #expect(differenceInDegrees(turned[0].yaw, upright[0].yaw) < 2)
        #expect(differenceInDegrees(turned[0].pitch, upright[0].pitch) < 3)
    }

    @Test func aTurnedFaceThatEntersIsFoundWithinFiveFrames() throws {
        let request = request()
        let gray = RGBPicture.gray(width: 640, height: 360)
        for pts in 0..<3 { #expect(try request.perform(on: gray.frame(Int64(pts))).isEmpty) }
        let upsideDown = frontal.turned(2)
        let counts = try (3..<8).map { try request.perform(on: upsideDown.frame($0)).count }
        #expect(counts.last == 1)
    }

    @Test(arguments: [Orientation.right, .down, .left])
    func theOrientationIsHonoured(_ orientation: Orientation) throws {
        // How far the stored picture is turned clockwise to be shown upright.
        let quarters = [Orientation.right: 1, .down: 2, .left: 3][orientation]!
        let upright = try fresh(frontal)[0]
        let stored = frontal.turned(4 - quarters).frame(orientation: orientation)
        let faces = try request().perform(on: stored)
        try #require(faces.count == 1)
        #expect(faces[0].boundingBox.intersectionOverUnion(upright.boundingBox) > 0.999)
        #expect(differenceInDegrees(faces[0].roll, upright.roll) < 0.01)
        #expect(differenceInDegrees(faces[0].yaw, upright.yaw) < 0.01)
        #expect(differenceInDegrees(faces[0].pitch, upright.pitch) < 0.01)
    }

    // Anamorphic video: the same picture in fewer, wider pixels; turned by a quarter, in fewer, lower ones.
    @Test(arguments: [Orientation.up, .right])
    func pixelsThatAreNotSquareAreShownSquare(_ orientation: Orientation) throws {
        let truth = try fresh(turnedLeft)[0]
        let squeezed = turnedLeft.squeezed(to: 400)
        let stored = orientation == .up ? squeezed : squeezed.turned(3)
        let ratio = orientation == .up ? Rational(8, 5) : Rational(5, 8)
        let faces = try request().perform(on: stored.frame(orientation: orientation, sampleAspectRatio: ratio))
        try #require(faces.count == 1)
        #expect(faces[0].boundingBox.intersectionOverUnion(truth.boundingBox) > 0.95)
        #expect(differenceInDegrees(faces[0].roll, truth.roll) < 1)
        #expect(differenceInDegrees(faces[0].yaw, truth.yaw) < 2)
        #expect(differenceInDegrees(faces[0].pitch, truth.pitch) < 2)
    }

    /// Two faces side by side, the left one nearer to the camera.
    private func pair() throws -> RGBPicture {
        let near = try RGBPicture(fixture: "anna_072.png")
        return near.columns(from: 180, count: 300).beside(frontal.columns(from: 210, count: 300))
    }

    @Test func severalFacesComeTheLargestFirst() throws {
        let request = request()
        let pair = try pair()
        for pts in 0..<2 {
            let faces = try request.perform(on: pair.frame(Int64(pts)))
            try #require(faces.count == 2)
            #expect(faces[0].boundingBox.area > faces[1].boundingBox.area)
            #expect(faces[0].boundingBox.maxX < 0.5 && faces[1].boundingBox.x > 0.5)
            // The near head leans by 11 degrees, the other one is straight.
            #expect(differenceInDegrees(faces[0].roll, -11 * .pi / 180) < 2 && abs(faces[1].roll) < 0.04)
        }
    }

    @Test func onlyTheLargestFacesCount() throws {
        let faces = try request(maximumFaceCount: 1).perform(on: pair().frame())
        try #require(faces.count == 1)
        #expect(faces[0].boundingBox.maxX < 0.5)
    }

    @Test func aFaceThatJoinsAnotherIsFoundWithinFifteenFrames() throws {
        let request = request()
        let pair = try pair()
        let alone = RGBPicture(width: 600, height: 360) { x, y in x < 300 ? pair[x, y] : [128, 128, 128] }
        #expect(try request.perform(on: alone.frame(0)).count == 1)
        let counts = try (1...15).map { try request.perform(on: pair.frame($0)).count }
        #expect(counts.first == 1 && counts.last == 2)
    }

    // A face of 0.095 of the frame's longer side, where one that stands in the middle between parts would be cut as well.
    @Test(arguments: [(0, 0), (640, 0), (320, 200), (0, 360), (640, 360)])
    func aSmallFaceIsFoundAtOnceOrWithinFifteenFrames(x: Int, y: Int) throws {
        let request = request()
        let nobody = RGBPicture(width: 1280, height: 720) { _, _ in [128, 128, 128] }
        #expect(try request.perform(on: nobody.frame(0)).isEmpty)
        let wide = RGBPicture(width: 1280, height: 720) { column, row in
            let isInside = column >= x && column < x + 640 && row >= y && row < y + 360
            return isInside ? frontal[column - x, row - y] : [128, 128, 128]
        }
        #expect(try fresh(wide).count == 1)
        let found = try (1...15).map { try request.perform(on: wide.frame($0)) }
        let face = try #require(found.last?.first)
        let box = try fresh(frontal)[0].boundingBox
        let expected = Rectangle(
            x: (box.x * 640 + Double(x)) / 1280, y: (box.y * 360 + Double(y)) / 720, width: box.width / 2,
            height: box.height / 2)
        #expect(face.boundingBox.intersectionOverUnion(expected) > 0.9)
        #expect(found.last?.count == 1)
    }

    @Test func aSmallFaceIsFoundAtOnceAfterACut() throws {
        let request = request()
        let black = RGBPicture(width: 1280, height: 720) { _, _ in [0, 0, 0] }
        for pts in 0..<17 { _ = try request.perform(on: black.frame(Int64(pts))) }
        let wide = RGBPicture(width: 1280, height: 720) { x, y in
            x < 640 && y < 360 ? frontal[x, y] : [128, 128, 128]
        }
        #expect(try request.perform(on: wide.frame(17)).count == 1)
    }

    // Upside down, this one is nothing to the detector, and the other is sure.
    @Test func aTurnedFaceIsFoundBesideAnUprightOne() throws {
        let request = request()
        let both = frontal.columns(from: 150, count: 380)
            .beside(turnedLeft.columns(from: 200, count: 260).turned(2))
        let counts = try (0...30).map { try request.perform(on: both.frame($0)).count }
        #expect(counts.first == 1 && counts.last == 2, "\(counts)")
    }

    @Test func aHandBeforeOneFaceLeavesTheOthers() throws {
        let request = request()
        let both = frontal.columns(from: 150, count: 380)
            .beside(turnedLeft.columns(from: 200, count: 260).turned(2))
        for pts in 0..<31 { _ = try request.perform(on: both.frame(Int64(pts))) }
        let known = try request.perform(on: both.frame(31))
        try #require(known.count == 2)
        let face = known[known[0].boundingBox.x < 0.5 ? 0 : 1].boundingBox
        let (left, right) = (Int(face.x * 640), Int(face.maxX * 640))
        let covered = RGBPicture(width: both.width, height: both.height) { x, y in
            let isCovered = (left..<right).contains(x) && Double(y) > (1 - face.midY) * Double(both.height)
            return isCovered ? [190, 140, 120] : both[x, y]
        }
        let faces = try request.perform(on: covered.frame(32))
        #expect(faces.contains { $0.boundingBox.x > 0.5 }, "\(faces)")
    }

    @Test func aMissingModelIsAnError() throws {
        let folder = TemporaryFolder()
        let manifest = try String(contentsOfFile: "\(Checkout.models)/manifest.json", encoding: .utf8)
        func perform(_ manifest: String) throws {
            try Data(manifest.utf8).write(to: folder.url("manifest.json"))
            try DetectFaceRectanglesRequest(models: ModelLibrary(directory: folder.url.path)).prepare()
        }
        let model = folder.path("face_detection_short_range.tflite")
        #expect(
            throws: VisionError(
                .unavailable,
                "the model '\(model)' is missing: run 'make setup' in a checkout of matte, which fetches it")
        ) { try perform(manifest) }
        let renamed = manifest.replacingOccurrences(of: "\"mesh\": \"face_landmark\"", with: "\"mesh\": \"none\"")
            .replacingOccurrences(of: "\"detector\": \"face_detection_short_range\"", with: "\"detector\": \"nobody\"")
        let path = folder.path("manifest.json")
        #expect(
            throws: VisionError(
                .invalid,
                "can't use the model description '\(path)': it has no model 'nobody', which 'face' names")
        ) { try perform(renamed) }
    }

    @Test func aNetworkThatIsNoFaceDetectorIsAnError() throws {
        let library = ModelLibrary(directory: Checkout.models)
        var source = try library.installed().faceModel(\.detector)
        let path = "\(Checkout.models)/\(source.description.file)"
        #expect(throws: VisionError(.invalid, "the model '\(path)' does not have outputs of 7 and 896 numbers")) {
            try SquareNetwork(source, library: library, outputCounts: [7, 896])
        }
        source.description.input.width = 64
        #expect(
            throws: VisionError(
                .invalid, "the model '\(path)' does not take the one square picture that its description must name")
        ) { try SquareNetwork(source, library: library, outputCounts: [896]) }
        source.description.input.width = 128
        source.description.input.range = [0]
        #expect(
            throws: VisionError(
                .invalid,
                "can't use a model description: the model '\(source.description.name)' needs two different numbers as the "
                    + "input's 'range'")
        ) { try SquareNetwork(source, library: library, outputCounts: [896]) }
    }
}

extension FaceObservation {
    /// The same of a face that nobody has numbered.
    fileprivate var unnumbered: FaceObservation {
        FaceObservation(boundingBox: boundingBox, confidence: confidence, roll: roll, yaw: yaw, pitch: pitch)
    }
}
