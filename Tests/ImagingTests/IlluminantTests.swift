import Glibc
import TestSupport
import Testing

@testable import Imaging

struct IlluminantTests {
    /// A picture of many grays in light of such red, green and blue.
    private func frame(_ format: PixelFormat, _ light: SIMD3<Float>, orientation: Orientation = .up) -> VideoFrame {
        let (width, height) = (64, 36)
        let conversion = ColorConversion(format: format, color: .unspecified, width: width, height: height)
        let picture = PixelBuffer.make(format, width: width, height: height) { plane, component, x, y in
            // The same gray for all pixels that share a chroma sample.
            let gray = Float((x / 4 * 7 + y / 4 * 3) % 16 + 1) / 16
            let color = light * (plane == 0 || format.colorModel == .rgb ? gray : 0.53)
            let values = conversion.codeValues(red: color.x, green: color.y, blue: color.z)
            let places = format.colorComponents(ofPlane: plane)
            guard let place = places.firstIndex(of: component) else { return 255 }
            let before = (0..<plane).reduce(0) { $0 + format.colorComponents(ofPlane: $1).count }
            return Int(values[before + place])
        }
        return VideoFrame(pixelBuffer: picture, orientation: orientation)
    }

    private func gains(_ frame: VideoFrame) -> SIMD3<Float> { IlluminantEstimator().illuminant(of: frame)!.gains }

    @Test(arguments: [PixelFormat.gray8, .rgb24, .bgra, .yuv420p, .yuv444p10, .nv12])
    func nearlyWhiteLightStaysAsItIs(_ format: PixelFormat) {
        #expect(gains(frame(format, [0.8, 0.8, 0.8])) == .one)
        if format.colorModel == .rgb { #expect(gains(frame(format, [0.8, 0.75, 0.72])) == .one) }
    }

    @Test(arguments: [PixelFormat.gray8, .rgb24, .yuv420p, .yuv444p10])
    func littleLightIsSeenInEveryFormat(_ format: PixelFormat) {
        let gains = gains(frame(format, [0.1, 0.1, 0.1]))
        #expect(gains.min() > 5 && gains.max() < 8, "\(gains)")
    }

    // What is left is the tolerance, a tenth either way.
    @Test(arguments: [SIMD3<Float>(0.9, 0.5, 0.3), [0.3, 0.4, 0.9], [0.4, 0.9, 0.5]])
    func coloredLightIsTakenOutInEveryFormat(_ light: SIMD3<Float>) {
        let expected = gains(frame(.rgb24, light))
        let seen = light * expected
        #expect(seen.max() / seen.min() < exp(0.21), "\(seen)")
        #expect(gains(frame(.bgra, light)) == expected)
        #expect(gains(frame(.rgb24, light, orientation: .right)) == expected)
    }

    @Test func blackHasNoLight() { #expect(IlluminantEstimator().illuminant(of: frame(.rgb24, .zero)) == nil) }

    @Test func whatTheLightLacksIsNotMadeUp() {
        let gains = Illuminant(red: 1, green: 0.2, blue: 0).gains
        #expect(gains.max() <= exp(1.2) + 1e-4 && gains.min() > 0.25)
        #expect(abs(Illuminant(red: 0.001, green: 0.001, blue: 0.001).gains.x - 8) < 1e-4)
    }

    @Test func littleLightBecomesEnough() {
        for level: Float in [0.4, 0.7, 1] { #expect(Illuminant(red: level, green: level, blue: level).gains == .one) }
        for level: Float in [0.06, 0.1, 0.3] {
            let gains = Illuminant(red: level, green: level, blue: level).gains
            #expect(gains.isNear(SIMD3(repeating: 0.4 / level), 1e-4))
        }
        let (bright, dark) = (
            Illuminant(red: 0.9, green: 0.5, blue: 0.4), Illuminant(red: 0.09, green: 0.05, blue: 0.04)
        )
        #expect((dark.gains / bright.gains).isNear(SIMD3(repeating: 0.4 / 0.06), 1e-3))
    }

    @Test func lightChangesByItsShare() {
        let (from, to) = (Illuminant(red: 0.5, green: 0.5, blue: 0.5), Illuminant(red: 1, green: 0.4, blue: 0.4))
        #expect(from.mixed(with: to, share: 0) == from)
        #expect(from.mixed(with: to, share: 1).gains.isNear(to.gains, 1e-5))
        let half = from.mixed(with: to, share: 0.5).gains
        #expect(half.x > to.gains.x && half.x < 1 && half.y > 1 && half.y < to.gains.y)
    }

    // It is taken out of what networks see, and of nothing else.
    @Test func aSampledFrameIsInWhiteLight() throws {
        var frame = frame(.rgb24, [0.9, 0.5, 0.3])
        let plain = sampled(frame)
        frame.illuminant = try #require(IlluminantEstimator().illuminant(of: frame))
        let balanced = sampled(frame)
        let gains = frame.illuminant.gains
        for i in stride(from: 0, to: plain.count, by: 3) {
            for c in 0..<3 { #expect(abs(balanced[i + c] - plain[i + c] * gains[c]) < 1e-5) }
        }
    }

    private func sampled(_ frame: VideoFrame) -> [Float] {
        var picture = RGBMap(width: 16, height: 9)
        FrameSampler().sample(frame, source: Rectangle(x: 0, y: 0, width: 64, height: 36), into: &picture)
        return picture.values
    }
}

extension SIMD3<Float> {
    fileprivate func isNear(_ other: SIMD3<Float>, _ tolerance: Float) -> Bool {
        let difference = self - other
        return Swift.max(difference.max(), -difference.min()) <= tolerance
    }
}
