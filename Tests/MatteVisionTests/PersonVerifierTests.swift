import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct PersonVerifierTests {
    private let library = ModelLibrary(directory: Checkout.models)

    private func source() throws -> ModelSource {
        try library.installed().model("person_verifier")
    }

    private func verifier() throws -> PersonVerifier {
        try PersonVerifier(source(), library: library)
    }

    // What PyTorch makes of the same numbers (Training/verifier.py).
    @Test func oddsAreThoseOfTheReference() throws {
        let frame = RGBPicture(width: 96, height: 96) { x, y in
            SIMD3(UInt8((7 * x + 3 * y) % 256), UInt8((5 * x + 11 * y) % 256), UInt8((x * y) % 256))
        }.frame()
        func mask(_ radius: Int) -> ScalarMap {
            var mask = ScalarMap(width: 96, height: 96)
            for y in 0..<96 {
                for x in 0..<96 where (x - 48) * (x - 48) + (y - 56) * (y - 56) < radius * radius {
                    mask.values[96 * y + x] = 1
                }
            }
            return mask
        }
        let region = Rectangle(x: 0, y: 0, width: 96, height: 96)
        let odds = try verifier().logOdds(
            of: ScalarMap(width: 96, height: 96, repeating: 1), seenAs: mask(30), of: region, frame: frame)
        #expect(abs(odds - 1.48453) < 1e-3)
    }

    @Test func itTellsSomebodyFromAThing() throws {
        let person = try RGBPicture(fixture: "anna_048.png").frame()
        let wall = RGBPicture(width: 640, height: 360) { x, y in [180, 170, UInt8(150 + x / 16)] }.frame()
        let region = Rectangle(x: 0, y: 0, width: 640, height: 360)
        let mask = try FixturePicture.map("anna_048_selfie.png")
        var square = ScalarMap(width: 64, height: 36)
        for y in 8..<28 { for x in 20..<40 { square.values[64 * y + x] = 1 } }
        let verifier = try verifier()
        func odds(_ frame: VideoFrame, _ mask: ScalarMap) throws -> Double {
            try verifier.logOdds(of: mask, seenAs: mask, of: region, frame: frame)
        }
        #expect(try odds(person, mask) > 2)
        #expect(try odds(wall, square) < 0)
    }

    @Test(arguments: [0.9, -0.75]) func whoLeansHalfwayIsLookedAtUpright(_ lean: Double) throws {
        let picture = try RGBPicture(fixture: "anna_048.png")
        let mask = try FixturePicture.map("anna_048_selfie.png")
        let turned = picture.turned(by: lean)
        let gray = RGBPicture(width: 640, height: 360) { x, y in
            SIMD3(repeating: UInt8(255 * mask.values[y * mask.height / 360 * mask.width + x * mask.width / 640]))
        }.turned(by: lean)
        var turnedMask = ScalarMap(width: 320, height: 180)
        for y in 0..<180 { for x in 0..<320 { turnedMask.values[320 * y + x] = Float(gray[2 * x, 2 * y].x) / 255 } }
        let verifier = try verifier()
        func odds(_ picture: RGBPicture, _ mask: ScalarMap, lean: Double) throws -> Double {
            try verifier.logOdds(
                of: mask, seenAs: mask, of: Rectangle(x: 0, y: 0, width: 640, height: 360), lean: lean,
                frame: picture.frame())
        }
        let upright = try odds(turned, turnedMask, lean: 0)
        let along = try odds(turned, turnedMask, lean: lean)
        #expect(along > upright + 3)
        #expect(try odds(turned, turnedMask, lean: -lean) < along, "the wrong way")
        #expect(try odds(turned, turnedMask, lean: 0.2) == upright, "as people stand")
        #expect(try odds(picture, mask, lean: lean) >= odds(picture, mask, lean: 0), "who is seen well as it is")
    }

    // Somebody is seen alone, however large the region around them is.
    @Test func itLooksAtTheLargestPart() throws {
        let picture = RGBPicture(width: 200, height: 100) { x, y in
            SIMD3(UInt8((7 * x + 3 * y) % 256), UInt8((5 * x + 11 * y) % 256), 90)
        }
        var mask = ScalarMap(width: 200, height: 100)
        for y in 20..<80 { for x in 40..<80 { mask.values[200 * y + x] = 1 } }
        let verifier = try verifier()
        func odds(_ region: Rectangle) throws -> Double {
            let (x, y, width, height) = (Int(region.x), Int(region.y), Int(region.width), Int(region.height))
            var part = ScalarMap(width: width, height: height)
            for row in 0..<height {
                for column in 0..<width {
                    part.values[width * row + column] = mask.values[200 * (y + row) + x + column]
                }
            }
            return try verifier.logOdds(of: part, seenAs: part, of: region, frame: picture.frame())
        }
        let whole = try odds(Rectangle(x: 0, y: 0, width: 200, height: 100))
        #expect(try abs(odds(Rectangle(x: 20, y: 8, width: 80, height: 84)) - whole) < 1e-3)
        let nobody = ScalarMap(width: 8, height: 8)
        #expect(
            try verifier.logOdds(
                of: nobody, seenAs: nobody, of: Rectangle(x: 0, y: 0, width: 200, height: 100),
                frame: picture.frame()) == -.infinity)
    }

    @Test func anotherNetworkIsRefused() throws {
        let matting = try library.installed().model("matting")
        let message =
            "the model '\(Checkout.models)/matting.onnx' is no person verifier: that has one input, NCHW, of a picture and a mask, and gives one number"
        #expect(throws: VisionError(.invalid, message)) {
            try PersonVerifier(matting, library: library)
        }
        var (input, output) = (try source(), try source())
        input.description.input.name = "photograph"
        output.description.output.name = "depth"
        let unnamed =
            "the model '\(Checkout.models)/person_verifier.onnx' does not have the input and output that its description names"
        for other in [input, output] {
            #expect(throws: VisionError(.invalid, unnamed)) {
                try PersonVerifier(other, library: library)
            }
        }
    }
}
