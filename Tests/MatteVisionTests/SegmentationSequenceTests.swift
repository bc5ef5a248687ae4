import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// Of people who lie in the frame, or stand on their head.
struct SegmentationSequenceTests {
    typealias Request = GeneratePersonSegmentationRequest

    private func mask(_ request: Request, _ frame: VideoFrame) throws -> RGBPicture {
        let mask = try request.perform(on: frame).pixelBuffer
        return mask.withPlane(0) { plane in
            RGBPicture(width: mask.width, height: mask.height) { x, y in
                SIMD3(repeating: plane.row(y, as: UInt8.self)[x])
            }
        }
    }

    private func meanDifference(_ first: RGBPicture, _ second: RGBPicture) -> Double {
        var sum = 0
        for y in 0..<first.height { for x in 0..<first.width { sum += abs(Int(first[x, y].x) - Int(second[x, y].x)) } }
        return Double(sum) / Double(first.width * first.height)
    }

    @Test(arguments: Request.QualityLevel.allCases)
    func whoLiesIsSeenAsWhoStands(_ level: Request.QualityLevel) throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        let upright = try mask(Request(qualityLevel: level), person.frame())
        for quarters in 1...3 {
            let request = Request(qualityLevel: level)
            let turned = person.turned(quarters).frame()
            let observation = try request.unrefinedMask(of: turned)
            #expect(observation.frame.orientation == .up, "the frame is handed on as it came")
            _ = observation.refined()
            let found = try mask(request, turned)
            #expect(found.width == turned.pixelBuffer.width && found.height == turned.pixelBuffer.height)
            #expect(meanDifference(found, upright.turned(quarters)) < 1, "\(quarters)")
        }
    }

    @Test(
        arguments: Request.QualityLevel.allCases,
        [SIMD3(0.4, 1.2, 1.3), [1.3, 0.5, 0.4], [0.6, 1.2, 0.6], [0.06, 0.06, 0.06]])
    func whoIsInColoredLightOrInLittleIsSeenAsInWhite(_ level: Request.QualityLevel, _ light: SIMD3<Double>) throws {
        let person = try RGBPicture(fixture: "anna_024.png")
        let white = try mask(Request(qualityLevel: level), person.frame())
        let colored = try mask(Request(qualityLevel: level), person.lit(by: light).frame())
        let difference = meanDifference(colored, white)
        #expect(difference < 2)
    }

    @Test func anotherSceneIsSeenAsItIs() throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        let fresh = try mask(Request(qualityLevel: .fast), person.frame())
        let request = Request(qualityLevel: .fast)
        for quarters in [2, 1] {
            _ = try mask(request, person.turned(quarters).frame())
            // Another size, or a cut.
            let found = try mask(request, person.frame())
            #expect(found.width == fresh.width && meanDifference(found, fresh) == 0)
        }
        _ = try mask(request, person.turned(2).frame())
        request.reset()
        let nobody = RGBPicture.gray(width: 640, height: 360)
        #expect(meanDifference(try mask(request, nobody.frame()), nobody) > 120)
        request.reset()
        #expect(meanDifference(try mask(request, person.frame()), fresh) == 0)
    }

    // The scene before lay, and windows of its size would not reach her.
    @Test func whoLiesFarAwayIsSeenAtOnceAfterASceneThatLay() throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        let half = person.columns(from: 160, count: 360)
        let lying = half.turned(1).beside(RGBPicture.gray(width: 280, height: 360))
        let farAway = RGBPicture(width: 640, height: 360) { x, y in
            (20..<200).contains(x) && y >= 180 ? half[2 * (x - 20), 2 * (y - 180)] : [128, 128, 128]
        }.turned(2)
        let fresh = try mask(Request(qualityLevel: .fast), farAway.frame())
        #expect(fresh[530, 40].x > 200, "\(fresh[530, 40])")
        let request = Request(qualityLevel: .fast)
        _ = try mask(request, lying.frame())
        #expect(meanDifference(try mask(request, farAway.frame()), fresh) == 0)
    }
}
