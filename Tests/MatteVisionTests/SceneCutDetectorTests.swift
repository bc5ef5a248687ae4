import Imaging
import Testing

@testable import MatteVision

struct SceneCutDetectorTests {
    private func picture(_ value: Float) -> [Float] { Array(repeating: value, count: 300) }

    @Test func anotherSceneIsACut() {
        var detector = SceneCutDetector()
        let cuts = [0.2, 0.21, 0.8, 0.8].map { detector.isCut(picture($0)) }
        #expect(cuts == [false, false, true, false])
    }

    @Test func aMovingCameraIsNone() {
        var detector = SceneCutDetector()
        var cuts = 0
        for frame in 0..<40 where detector.isCut(picture(frame % 2 == 0 ? 0.4 : 0.45)) { cuts += 1 }
        #expect(cuts == 0)
    }

    // What a cut is compared with afterwards is not the stillness before it.
    @Test func aSceneThatShakesIsOneCutAtMost() {
        var detector = SceneCutDetector()
        let cuts = (0..<40).filter { detector.isCut(picture($0 % 2 == 0 ? 0.4 : 0.52)) }
        #expect(cuts == [1])
        let isCut = detector.isCut(picture(0.95))
        #expect(isCut)
    }

    // Scenes in a tenth of the light differ by a tenth.
    @Test func inLittleLightScenesDifferByLess() {
        var detector = SceneCutDetector()
        let dark: [Float] = [0.02, 0.021, 0.05, 0.05, 0.048]
        let cuts = dark.map { detector.isCut(picture($0)) }
        #expect(cuts == [false, false, true, false, false])
        detector.reset()
        let bright = dark.map { detector.isCut(picture($0 + 0.2)) }
        #expect(!bright.contains(true))
    }

    @Test(arguments: [(ColorDescription.Range.limited, 16, 235), (.full, 0, 255)])
    func brightnessBeginsAtBlack(_ range: ColorDescription.Range, _ black: UInt8, _ white: UInt8) {
        for (code, expected) in [(black, Float(0)), (white, Float(white - black) / 255)] {
            var picture = MutablePixelBuffer(format: .gray8, width: 160, height: 90)
            picture.withMutablePlane(0) { plane in
                for y in 0..<90 { plane.row(y, as: UInt8.self).update(repeating: code, count: 160) }
            }
            var thumbnail = ScalarMap(width: 64, height: 36)
            thumbnail.takeBrightness(
                of: VideoFrame(pixelBuffer: picture.publish(), color: ColorDescription(range: range)))
            #expect(thumbnail.values.allSatisfy { abs($0 - expected) < 1e-4 })
        }
    }

    /// Black is 0 in RGB, whatever a file tells of its range.
    @Test func brightnessOfRGBBeginsAtZero() {
        var picture = MutablePixelBuffer(format: .rgba, width: 160, height: 90)
        picture.withMutablePlane(0) { plane in
            for y in 0..<90 { plane.row(y, as: UInt8.self).update(repeating: 255, count: 640) }
        }
        var thumbnail = ScalarMap(width: 64, height: 36)
        thumbnail.takeBrightness(
            of: VideoFrame(pixelBuffer: picture.publish(), color: ColorDescription(range: .limited)))
        #expect(thumbnail.values.allSatisfy { abs($0 - 1) < 1e-4 })
    }

    @Test func resetForgets() {
        var detector = SceneCutDetector()
        _ = detector.isCut(picture(0.1))
        detector.reset()
        let isCut = detector.isCut(picture(0.9))
        #expect(!isCut)
    }
}
