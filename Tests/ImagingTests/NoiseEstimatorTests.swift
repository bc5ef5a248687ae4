import Testing

@testable import Imaging

struct NoiseEstimatorTests {
    // Twelve uniform numbers add up to a nearly normal one.
    private func normal(_ noise: inout Noise) -> Float {
        (0..<12).reduce(-6) { sum, _ in sum + Float.random(in: 0...1, using: &noise) }
    }

    // A slope with a hard edge in it, and noise.
    private func picture(
        _ format: PixelFormat, width: Int = 320, height: Int = 240, deviations: [Float]
    ) -> PixelBuffer {
        var noise = Noise(state: 9)
        let peak = Float((1 << format.bitDepth) - 1)
        return PixelBuffer.make(format, width: width, height: height) { plane, component, x, y in
            let clean = 0.25 + Float(x % 320) / 1200 + (x + y > 280 ? 0.25 : 0)
            return Int(min(max((clean + deviations[plane + component] * normal(&noise)) * peak, 0), peak).rounded())
        }
    }

    @Test(arguments: [0, 0.01, 0.03, 0.06] as [Float])
    func noiseIsMeasuredWhateverThePictureShows(_ deviation: Float) {
        let picture = picture(.gray8, deviations: [deviation])
        let found = NoiseEstimator.deviations(of: picture, columns: 0..<320, rows: 0..<240)
        #expect(abs(found[0] - deviation) < 0.003 + 0.1 * deviation, "\(found)")
        #expect(found[1] == 0 && found[2] == 0)
    }

    @Test func aLargePictureIsAsNoisyAsASmallOne() {
        let picture = picture(.gray8, width: 1920, height: 1080, deviations: [0.03])
        let found = NoiseEstimator.deviations(of: picture, columns: 0..<1920, rows: 0..<1080)
        #expect(abs(found[0] - 0.03) < 0.003, "\(found)")
    }

    @Test(arguments: [PixelFormat.yuv420p, .nv12, .yuv422p10, .yuv444p])
    func eachComponentHasItsOwn(_ format: PixelFormat) {
        let picture = picture(format, deviations: [0.01, 0.05, 0.03])
        // Not whole chroma samples.
        let found = NoiseEstimator.deviations(of: picture, columns: 3..<317, rows: 1..<239)
        for (found, deviation) in zip([found[0], found[1], found[2]], [0.01, 0.05, 0.03] as [Float]) {
            #expect(abs(found - deviation) < 0.003 + 0.1 * deviation, "\(format) \(found)")
        }
    }

    @Test func chromaOfRGBIsAsNoisyAsItsLuma() {
        let picture = picture(.bgra, deviations: [0.06, 0.03, 0, 0])
        let found = NoiseEstimator.deviations(of: picture, columns: 0..<320, rows: 0..<240)
        #expect(abs(found[0] - 0.03) < 0.006 && found[1] == found[0] && found[2] == found[0], "\(found)")
    }

    @Test func whatIsTooSmallHasNone() {
        let picture = picture(.yuv420p, deviations: [0.1, 0.1, 0.1])
        #expect(NoiseEstimator.deviations(of: picture, columns: 5..<7, rows: 0..<240) == .zero)
        #expect(NoiseEstimator.deviations(of: picture, columns: 5..<9, rows: 0..<240)[1] == 0)
    }
}
