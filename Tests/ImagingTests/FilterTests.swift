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

    @Test(arguments: [PixelFormat.gray8, .grayf16, .grayf32])
    func masksAreClippedAndRounded(_ format: PixelFormat) {
        let map = ScalarMap(width: 5, height: 1, values: [-1, 0, 0.5, 1, 2])
        let frame = PixelBuffer.make(.gray8, width: 5, height: 1) { _, _, _, _ in 0 }
        let mask = MaskRenderer().render(
            [patch(of: map, x: 0, y: 0, width: 5, height: 1)], over: VideoFrame(pixelBuffer: frame), format: format)
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

    private func patch(of map: ScalarMap, x: Int, y: Int, width: Int, height: Int) -> MaskPatch {
        let enlarger = MapEnlarger()
        enlarger.prepare(map, width: width, height: height)
        return MaskPatch(x: x, y: y, width: width, height: height, enlarger: enlarger)
    }

    @Test func patchesLieWhereTheyBelong() {
        let frame = PixelBuffer.make(.gray8, width: 40, height: 30) { _, _, _, _ in 0 }
        let full = ScalarMap(width: 2, height: 2, repeating: 1)
        let half = ScalarMap(width: 2, height: 2, repeating: 0.5)
        let mask = MaskRenderer().render(
            [patch(of: full, x: 0, y: 0, width: 20, height: 30), patch(of: half, x: 10, y: 5, width: 20, height: 20)],
            over: VideoFrame(pixelBuffer: frame), format: .gray8
        ).bytes()
        func value(_ x: Int, _ y: Int) -> UInt8 { mask[y * 40 + x] }
        #expect(value(0, 0) == 255 && value(5, 29) == 255, "at the frame's own edges nothing fades")
        #expect(value(15, 15) == 255, "the larger of two")
        #expect(value(25, 15) == 128)
        #expect(value(19, 2) < 255, "it fades out towards an edge inside the frame")
        #expect(value(29, 15) < 128 && value(35, 15) == 0 && value(25, 2) == 0)
    }
}
