import Imaging
import Testing

@testable import MatteVision

struct TemporalSmootherTests {
    private let description = LevelDescription.Smoothing(strength: 0.7, motion: 0.1)
    private let still = [Float](repeating: 0.5, count: 3 * 16)

    private func map(_ value: Float) -> ScalarMap { ScalarMap(width: 4, height: 4, repeating: value) }

    @Test func theFirstMapIsItself() {
        var smoother = TemporalSmoother(description)
        var first = map(0.3)
        smoother.smooth(&first, picture: still)
        #expect(first == map(0.3))
    }

    @Test func certainPixelsDoNotListenToThePast() {
        var smoother = TemporalSmoother(description)
        var past = map(1)
        smoother.smooth(&past, picture: still)
        var now = map(0)
        smoother.smooth(&now, picture: still)
        #expect(now == map(0))
    }

    @Test func uncertainPixelsOfAStillPictureDo() {
        var smoother = TemporalSmoother(description)
        var past = map(0.9)
        smoother.smooth(&past, picture: still)
        var now = map(0.5)
        smoother.smooth(&now, picture: still)
        #expect(now.values.allSatisfy { abs($0 - (0.5 + 0.4 * 0.7)) < 1e-5 })
    }

    @Test func whereThePictureMovedThePastDoesNotCount() {
        var smoother = TemporalSmoother(description)
        var past = map(0.9)
        smoother.smooth(&past, picture: still)
        var now = map(0.5)
        smoother.smooth(&now, picture: still.map { $0 + 0.2 })
        #expect(now == map(0.5))
    }

    @Test func flickerOnAStillPictureShrinks() {
        var smoother = TemporalSmoother(description)
        var (least, most): (Float, Float) = (1, 0)
        for frame in 0..<40 {
            var now = map(frame % 2 == 0 ? 0.4 : 0.6)
            smoother.smooth(&now, picture: still)
            if frame > 20 {
                least = min(least, now.values[0])
                most = max(most, now.values[0])
            }
        }
        #expect(most - least < 0.1, "0.2 before")
    }

    @Test func resetForgets() {
        var smoother = TemporalSmoother(description)
        var past = map(0.9)
        smoother.smooth(&past, picture: still)
        smoother.reset()
        var now = map(0.5)
        smoother.smooth(&now, picture: still)
        #expect(now == map(0.5))
    }
}
