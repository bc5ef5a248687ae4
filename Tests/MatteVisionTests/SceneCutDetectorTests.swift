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
    @Test(arguments: [0, 16.0 / 255]) func inLittleLightScenesDifferByLess(_ black: Float) {
        var detector = SceneCutDetector()
        let dark: [Float] = [0.02, 0.021, 0.05, 0.05, 0.048]
        let cuts = dark.map { detector.isCut(picture(black + $0), black: black) }
        #expect(cuts == [false, false, true, false, false])
        detector.reset()
        let bright = dark.map { detector.isCut(picture(black + $0 + 0.2), black: black) }
        #expect(!bright.contains(true))
    }

    @Test func resetForgets() {
        var detector = SceneCutDetector()
        _ = detector.isCut(picture(0.1))
        detector.reset()
        let isCut = detector.isCut(picture(0.9))
        #expect(!isCut)
    }
}
