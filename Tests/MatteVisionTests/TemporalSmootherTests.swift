import Imaging
import Testing

@testable import MatteVision

struct TemporalSmootherTests {
    private let description = LevelDescription.Smoothing(strength: 0.7, motion: 0.1)
    private let still = Self.luma { _ in 0.5 }

    private static func luma(_ value: (Int) -> Float) -> ScalarMap {
        ScalarMap(width: 8, height: 8, values: (0..<64).map(value))
    }

    private func map(_ value: Float) -> ScalarMap { ScalarMap(width: 8, height: 8, repeating: value) }

    @Test func theFirstMapIsItself() {
        var smoother = TemporalSmoother(description)
        var first = map(0.3)
        smoother.smooth(&first, components: [still])
        #expect(first == map(0.3))
    }

    @Test func certainPixelsListenLess() {
        var smoother = TemporalSmoother(description)
        var past = map(1)
        smoother.smooth(&past, components: [still])
        var now = map(0)
        smoother.smooth(&now, components: [still])
        #expect(now.values.allSatisfy { abs($0 - 0.5 * 0.7) < 1e-5 }, "half of what uncertain ones do")
    }

    @Test func uncertainPixelsOfAStillPictureDo() {
        var smoother = TemporalSmoother(description)
        var past = map(0.9)
        smoother.smooth(&past, components: [still])
        var now = map(0.5)
        smoother.smooth(&now, components: [still])
        #expect(now.values.allSatisfy { abs($0 - (0.5 + 0.4 * 0.7)) < 1e-5 })
    }

    @Test func whereThePictureMovedThePastDoesNotCount() {
        var smoother = TemporalSmoother(description)
        var past = map(0.9)
        smoother.smooth(&past, components: [still])
        var now = map(0.5)
        smoother.smooth(&now, components: [Self.luma { _ in 0.7 }])
        #expect(now == map(0.5))
    }

    // What is an edge in enough light is an eighth of it here; noise is as large as ever.
    @Test func inLittleLightLessIsAMovement() {
        func value(change: Float, brightening: Float, noise: Float) -> Float {
            var smoother = TemporalSmoother(description)
            var past = map(0.9)
            smoother.smooth(&past, components: [still], brightening: brightening, noise: noise)
            var now = map(0.5)
            let moved = Self.luma { _ in 0.5 + change }
            smoother.smooth(&now, components: [moved], brightening: brightening, noise: noise)
            return now.values[0]
        }
        #expect(value(change: 0.02, brightening: 8, noise: 0) == 0.5)
        #expect(abs(value(change: 0.02, brightening: 1, noise: 0) - (0.5 + 0.4 * 0.7 * 0.8)) < 1e-5)
        #expect(abs(value(change: 0.02, brightening: 8, noise: 0.02) - (0.5 + 0.4 * 0.7 * 2 / 3)) < 1e-5)
        #expect(
            abs(value(change: 0.02, brightening: 8, noise: 1) - (0.5 + 0.4 * 0.7 * 0.8)) < 1e-5, "as in enough light")
    }

    // Noise changes every pixel as much as a movement would, but not all of them the same way.
    /// As a network of the user's own may give it.
    @Test func aMapMayBeOfOnePixel() {
        var smoother = TemporalSmoother(description)
        let still = ScalarMap(width: 1, height: 1, repeating: 0.5)
        var now = ScalarMap(width: 1, height: 1, repeating: 0.9)
        smoother.smooth(&now, components: [still])
        now.values[0] = 0.5
        smoother.smooth(&now, components: [still])
        #expect(abs(now.values[0] - (0.5 + 0.4 * 0.7)) < 1e-5)
    }

    @Test func noiseIsNoMovement() {
        var smoother = TemporalSmoother(description)
        var past = map(0.9)
        smoother.smooth(&past, components: [Self.luma { i in 0.5 + (i % 2 == 0 ? 0.05 : -0.05) }])
        var now = map(0.5)
        smoother.smooth(&now, components: [Self.luma { i in 0.5 + (i % 2 == 0 ? -0.05 : 0.05) }])
        #expect(now.values[3 * 8 + 3] > 0.5 + 0.4 * 0.7 * 0.5)
    }

    @Test func flickerOnAStillPictureShrinks() {
        var smoother = TemporalSmoother(description)
        var (least, most): (Float, Float) = (1, 0)
        for frame in 0..<40 {
            var now = map(frame % 2 == 0 ? 0.4 : 0.6)
            smoother.smooth(&now, components: [still])
            if frame > 20 {
                least = min(least, now.values[0])
                most = max(most, now.values[0])
            }
        }
        #expect(most - least < 0.1, "0.2 before")
    }

    // Red before green of the same luma.
    @Test func whereAnyComponentMovedThePastDoesNotCount() {
        for moved in 0..<3 {
            var smoother = TemporalSmoother(description)
            var components = [still, still, still]
            var past = map(0.9)
            smoother.smooth(&past, components: components)
            components[moved] = Self.luma { _ in 0.3 }
            var now = map(0.5)
            smoother.smooth(&now, components: components)
            #expect(now == map(0.5), "\(moved)")
        }
    }

    @Test func resetForgets() {
        var smoother = TemporalSmoother(description)
        var past = map(0.9)
        smoother.smooth(&past, components: [still])
        smoother.reset()
        var now = map(0.5)
        smoother.smooth(&now, components: [still])
        #expect(now == map(0.5))
    }
}
