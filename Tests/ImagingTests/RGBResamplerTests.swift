import Testing

@testable import Imaging

struct RGBResamplerTests {
    private func picture(width: Int, height: Int) -> RGBMap {
        var noise = Noise(state: 3)
        var picture = RGBMap(width: width, height: height)
        for i in picture.values.indices { picture.values[i] = Float.random(in: 0...1, using: &noise) }
        return picture
    }

    private func resampled(_ source: RGBMap, width: Int, height: Int) -> RGBMap {
        var target = RGBMap(width: width, height: height)
        RGBResampler().resample(source, into: &target)
        return target
    }

    @Test func theSameSizeIsTheSamePicture() {
        let source = picture(width: 7, height: 5)
        #expect(near(resampled(source, width: 7, height: 5).values, source.values, 1e-6))
    }

    @Test func halfTheSizeIsTheMeanOfFour() {
        let source = picture(width: 8, height: 6)
        let half = resampled(source, width: 4, height: 3)
        var expected: [Float] = []
        for y in 0..<3 {
            for x in 0..<4 {
                for component in 0..<3 {
                    let pixels = [(0, 0), (1, 0), (0, 1), (1, 1)].map { offset in
                        source.values[3 * ((2 * y + offset.1) * 8 + 2 * x + offset.0) + component]
                    }
                    expected.append(pixels.reduce(0, +) / 4)
                }
            }
        }
        #expect(near(half.values, expected, 1e-5))
    }

    @Test func oneResamplerServesManySizes() {
        let resampler = RGBResampler()
        for (width, height) in [(3, 3), (16, 9), (5, 20)] {
            let source = picture(width: width, height: height)
            var target = RGBMap(width: 6, height: 4)
            resampler.resample(source, into: &target)
            #expect(near(target.values, resampled(source, width: 6, height: 4).values, 0))
        }
    }
}
