import Testing

@testable import Imaging

struct FrameComponentsTests {
    private func components(of buffer: PixelBuffer, width: Int, height: Int) -> [ScalarMap] {
        let frame = VideoFrame(pixelBuffer: buffer)
        let sampler = FrameSampler()
        var picture = RGBMap(width: width, height: height)
        sampler.sample(
            frame, source: Rectangle(x: 0, y: 0, width: Double(buffer.width), height: Double(buffer.height)),
            into: &picture)
        var components: [ScalarMap] = []
        sampler.components(of: frame, width: width, height: height, into: &components)
        return components
    }

    @Test(arguments: PixelFormat.videoFormats)
    func theyAreFractionsOfThePeakInTheModelsOrder(_ format: PixelFormat) {
        let peak = (1 << format.bitDepth) - 1
        let values = [peak, peak / 2, peak / 4]
        let buffer = PixelBuffer.make(format, width: 4, height: 2) { plane, component, _, _ in
            format.colorModel == .rgb
                ? format.redGreenBlue.firstIndex(of: component).map { values[$0] } ?? 0 : values[plane + component]
        }
        let found = components(of: buffer, width: 2, height: 1)
        #expect(found.count == (format.colorModel == .gray ? 1 : 3))
        for (map, value) in zip(found, values) {
            #expect(near(map.values, [1, 1].map { $0 * Float(value) / Float(peak) }, 1e-6), "\(format)")
        }
    }

    @Test func theyAreMeans() {
        let buffer = PixelBuffer.make(.gray8, width: 8, height: 6) { _, _, x, y in 20 * x + y }
        func pixel(_ x: Int, _ y: Int) -> Float { Float(20 * x + y) / 255 }
        let expected = (0..<12).map { pixel(2 * ($0 % 4), 2 * ($0 / 4)) + 10.5 / 255 }
        #expect(near(components(of: buffer, width: 4, height: 3)[0].values, expected, 1e-5))
        let same = components(of: buffer, width: 8, height: 6)[0]
        #expect(near(same.values, (0..<48).map { pixel($0 % 8, $0 / 8) }, 1e-6))
    }
}
