import Testing

@testable import Imaging

struct NoiseEstimatorTests {
    // Twelve uniform numbers add up to a nearly normal one.
    private static let normals: [Float] = {
        var noise = Noise(state: 5)
        return (0..<4096).map { _ in
            (0..<12).reduce(-6) { sum, _ in sum + Float.random(in: 0...1, using: &noise) }
        }
    }()

    // One of them by chance.
    private func normal(_ noise: inout Noise) -> Float { Self.normals[Int(noise.next() >> 52)] }

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
        let found = NoiseEstimator.deviations(of: picture, color: ColorDescription(), columns: 0..<320, rows: 0..<240)
        #expect(abs(found[0] - deviation) < 0.003 + 0.1 * deviation, "\(found)")
        #expect(found[1] == 0 && found[2] == 0)
    }

    @Test func aLargePictureIsAsNoisyAsASmallOne() {
        // Several times as many pixels as are looked at.
        let picture = picture(.gray8, width: 1280, height: 720, deviations: [0.03])
        let found = NoiseEstimator.deviations(of: picture, color: ColorDescription(), columns: 0..<1280, rows: 0..<720)
        #expect(abs(found[0] - 0.03) < 0.003, "\(found)")
    }

    @Test(arguments: [PixelFormat.yuv420p, .nv12, .yuv422p10, .yuv444p])
    func eachComponentHasItsOwn(_ format: PixelFormat) {
        let picture = picture(format, deviations: [0.01, 0.05, 0.03])
        // Not whole chroma samples.
        let found = NoiseEstimator.deviations(of: picture, color: ColorDescription(), columns: 3..<317, rows: 1..<239)
        for (found, deviation) in zip([found[0], found[1], found[2]], [0.01, 0.05, 0.03] as [Float]) {
            #expect(abs(found - deviation) < 0.003 + 0.1 * deviation, "\(format) \(found)")
        }
    }

    // Half of what blue and red have more than green.
    @Test func chromaOfRGBHasTheNoiseOfBothItsComponents() {
        let found = NoiseEstimator.deviations(
            of: picture(.bgra, deviations: [0.06, 0.03, 0, 0]), color: ColorDescription(), columns: 0..<320,
            rows: 0..<240)
        let expected: [Float] = [0.03, 0.5 * (0.06 * 0.06 + 0.03 * 0.03 as Float).squareRoot(), 0.015]
        for (found, expected) in zip([found[0], found[1], found[2]], expected) {
            #expect(abs(found - expected) < 0.003 + 0.1 * expected, "\(found) \(expected)")
        }
    }

    // An upright video with bars on both sides.
    @Test(arguments: [0, 255])
    func barsDoNotCount(_ bar: Int) {
        var noise = Noise(state: 4)
        let picture = PixelBuffer.make(.yuv420p, width: 320, height: 240) { plane, _, x, _ in
            let (x, isBar) = (plane == 0 ? x : 2 * x, (plane == 0 ? x : 2 * x) / 60 != 2)
            return isBar ? (plane == 0 ? bar : 128) : Int((110 + Float(x) / 8 + 255 * 0.03 * normal(&noise)).rounded())
        }
        let found = NoiseEstimator.deviations(of: picture, color: ColorDescription(), columns: 0..<320, rows: 0..<240)
        for found in [found[0], found[1], found[2]] { #expect(abs(found - 0.03) < 0.01, "\(found)") }
        let bars = NoiseEstimator.deviations(of: picture, color: ColorDescription(), columns: 0..<100, rows: 0..<240)
        #expect(bars == .zero)
    }

    // A webcam's dark room: what is all but black in limited range is a shade of its own in full range.
    @Test(arguments: [PixelFormat.yuv420p, .rgb24]) func darkShadesOfFullRangeCount(_ format: PixelFormat) {
        var noise = Noise(state: 9)
        let picture = PixelBuffer.make(format, width: 320, height: 240) { plane, _, _, _ in
            let middle: Float = plane == 0 ? 12 : 128
            return Int((middle + 3 * normal(&noise)).rounded())
        }
        let found = NoiseEstimator.deviations(
            of: picture, color: ColorDescription(range: .full), columns: 0..<320, rows: 0..<240)
        for found in [found[0], found[1], found[2]] { #expect(found > 0.007 && found < 0.015, "\(found)") }
    }

    // No jump where the median goes from one code value to the next.
    @Test func theEstimateGrowsSteadily() {
        let found = (0..<20).map { step in
            NoiseEstimator.deviations(
                of: picture(.gray8, deviations: [0.0004 * Float(step)]), color: ColorDescription(), columns: 0..<320,
                rows: 0..<240)[0]
        }
        // A code value is 0.004.
        for (one, next) in zip(found, found.dropFirst()) { #expect(abs(next - one) < 0.0008, "\(found)") }
        #expect(found[19] - found[0] > 0.004, "\(found)")
    }

    @Test func whatIsTooSmallHasNone() {
        let picture = picture(.yuv420p, deviations: [0.1, 0.1, 0.1])
        #expect(
            NoiseEstimator.deviations(of: picture, color: ColorDescription(), columns: 5..<7, rows: 0..<240) == .zero)
        #expect(
            NoiseEstimator.deviations(of: picture, color: ColorDescription(), columns: 5..<9, rows: 0..<240)[1] == 0)
    }
}
