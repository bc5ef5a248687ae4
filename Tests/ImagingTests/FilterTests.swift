import Testing

@testable import Imaging

struct FilterTests {
    @Test func boxFilterIsTheMeanOfTheClippedWindow() {
        var noise = Noise(state: 5)
        for (width, height) in [(1, 1), (1, 9), (9, 1), (8, 6), (17, 13)] {
            let values = (0..<width * height).map { _ in Float.random(in: 0...1, using: &noise) }
            for radius in [0, 1, 2, 5, 20] {
                var filter = BoxFilter(width: width, height: height, radius: radius)
                var found = [Float](repeating: -1, count: width * height)
                filter.mean(values, into: &found)
                var expected: [Float] = []
                for y in 0..<height {
                    for x in 0..<width {
                        var (sum, count) = (0.0, 0.0)
                        for j in max(0, y - radius)...min(height - 1, y + radius) {
                            for i in max(0, x - radius)...min(width - 1, x + radius) {
                                sum += Double(values[j * width + i])
                                count += 1
                            }
                        }
                        expected.append(Float(sum / count))
                    }
                }
                #expect(near(found, expected, 1e-5))
            }
        }
    }

    @Test func boxFilterMayWorkInPlace() {
        var values: [Float] = [0, 3, 6, 9]
        var filter = BoxFilter(width: 4, height: 1, radius: 1)
        values.withUnsafeMutableBufferPointer { filter.mean($0.baseAddress!, into: $0.baseAddress!) }
        #expect(near(values, [1.5, 3, 6, 7.5], 1e-6))
    }

    // Where the mask is a linear function of the luma, the guided filter gives that function back at full size.
    @Test func guidedFilterKeepsLinearMasks() {
        let (width, height) = (24, 16)
        let guide = PixelBuffer.make(.gray8, width: width, height: height) { _, _, x, y in 40 + 6 * x + 3 * y }
        let small = Luma.map(of: guide, width: 12, height: 8)
        var mask = small
        mask.values = small.values.map { 0.1 + 0.7 * $0 }
        let filter = GuidedFilter(width: 12, height: 8, radius: 2, epsilon: 1e-9)
        filter.fit(mask: mask, guide: small, fullWidth: width, fullHeight: height)
        let found = MaskRenderer().render(filter, guidedBy: guide, format: .grayf32)
        let expected = guide.bytes().map { 0.1 + 0.7 * Float($0) / 255 }
        let values = found.withPlane(0) { plane in
            (0..<height).flatMap { y in (0..<width).map { plane.row(y, as: Float.self)[$0] } }
        }
        #expect(near(values, expected, 2e-3))
    }

    // A coarse edge moves onto the guide's edge.
    @Test func guidedFilterSnapsToTheGuidesEdge() {
        let (width, height) = (64, 16)
        let guide = PixelBuffer.make(.gray8, width: width, height: height) { _, _, x, _ in x < 30 ? 30 : 220 }
        var mask = ScalarMap(width: width, height: height)
        for i in mask.values.indices {
            mask.values[i] = min(max((Float(i % width) - 24) / 12, 0), 1)
        }
        let filter = GuidedFilter(width: width, height: height, radius: 8, epsilon: 1e-4)
        filter.fit(
            mask: mask, guide: Luma.map(of: guide, width: width, height: height), fullWidth: width, fullHeight: height)
        let bytes = MaskRenderer().render(filter, guidedBy: guide, format: .gray8).bytes()
        let row = bytes[8 * width..<9 * width].map { Int($0) }
        #expect(row[30] - row[29] > 128, "the edge lies between columns 29 and 30")
    }

    @Test(arguments: [PixelFormat.gray8, .grayf16, .grayf32])
    func masksAreClippedAndRounded(_ format: PixelFormat) {
        let map = ScalarMap(width: 5, height: 1, values: [-1, 0, 0.5, 1, 2])
        let mask = MaskRenderer().render(map, width: 5, height: 1, format: format)
        let found: [Float] = mask.withPlane(0) { plane in
            (0..<5).map { x in
                switch format {
                case .gray8: Float(plane.row(0, as: UInt8.self)[x])
                case .grayf16: Float(plane.row(0, as: Float16.self)[x])
                default: plane.row(0, as: Float.self)[x]
                }
            }
        }
        #expect(found == (format == .gray8 ? [0, 0, 128, 255, 255] : [0, 0, 0.5, 1, 1]))
    }

    @Test func everyGuideIsAFractionOfThePeak() {
        for format in PixelFormat.videoFormats {
            let peak = (1 << format.bitDepth) - 1
            let buffer = PixelBuffer.make(format, width: 3, height: 2) { _, component, _, _ in
                format.colorModel != .rgb || component == 1 ? peak : 0
            }
            #expect(near(Luma.map(of: buffer, width: 1, height: 1).values, [1], 1e-6), "\(format)")
        }
    }

    @Test func aSmallGuideIsTheMeanOfItsPixels() {
        let buffer = PixelBuffer.make(.gray8, width: 7, height: 5) { _, _, x, y in 20 * x + y }
        func pixel(_ x: Int, _ y: Int) -> Float { Float(20 * x + y) / 255 }
        // Columns 0…2 and 3…6, rows 0…1 and 2…4.
        let small = Luma.map(of: buffer, width: 2, height: 2)
        #expect(near(small.values, [pixel(1, 0) + 0.5 / 255, 90.5 / 255, 23.0 / 255, 93.0 / 255], 1e-5))
        let same = Luma.map(of: buffer, width: 7, height: 5)
        #expect(near(same.values, (0..<35).map { pixel($0 % 7, $0 / 7) }, 1e-6))
    }
}
