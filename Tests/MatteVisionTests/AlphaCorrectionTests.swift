import Glibc
import Imaging
import Testing

@testable import MatteVision

struct AlphaCorrectionTests {
    @Test func alphaIsTheStretchedSigmoid() {
        for step in -800...800 {
            let logit = Double(step) / 100
            let truth = min(max(1.06 / (1 + exp(-logit)) - 0.03, 0), 1)
            #expect(abs(Double(AlphaCorrection.alpha(Float(logit))) - truth) < 1e-4, "\(logit)")
        }
        #expect(AlphaCorrection.alpha(-.infinity) == 0 && AlphaCorrection.alpha(.infinity) == 1)
    }

    @Test func whatIsNoNumberIsNobody() {
        #expect(AlphaCorrection.alpha(.nan) == 0)
    }

    @Test func zeroAndOneAreReached() {
        #expect(AlphaCorrection.alpha(-3.6) == 0 && AlphaCorrection.alpha(3.6) == 1)
        #expect(AlphaCorrection.alpha(0) == 0.5)
    }

    // Each of the four planes goes to its own pixel of four, in the order of PyTorch's pixel_shuffle.
    @Test func planesGoToTheirPixels() {
        var map = ScalarMap(width: 4, height: 4, repeating: 0)
        let correction: [Float] = (0..<16).map { Float($0) / 8 - 1 }
        correction.withUnsafeBufferPointer { AlphaCorrection.apply($0, to: &map) }
        for y in 0..<4 {
            for x in 0..<4 {
                let plane = 2 * (y % 2) + x % 2
                let expected = AlphaCorrection.alpha(correction[4 * plane + 2 * (y / 2) + x / 2])
                #expect(map.values[4 * y + x] == expected, "\(x), \(y)")
            }
        }
    }

    @Test func whatTheMasksSayStaysWithoutCorrection() {
        var map = ScalarMap(width: 2, height: 2, repeating: AlphaCorrection.maskLogit)
        [Float](repeating: 0, count: 4).withUnsafeBufferPointer { AlphaCorrection.apply($0, to: &map) }
        #expect(map.values.allSatisfy { $0 == AlphaCorrection.alpha(3) && $0 > 0.9 })
    }
}
