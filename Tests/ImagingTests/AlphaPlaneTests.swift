import Testing

@testable import Imaging

struct AlphaPlaneTests {
    // One after the other in the same memory: a smaller picture after a larger one too.
    @Test func eachRowIsTheRowOfItsSiting() {
        var noise = Noise(state: 2)
        var plane = AlphaPlane()
        var rows = AlphaRows()
        for (format, width, height) in [
            (PixelFormat.yuv420p, 33, 9), (.nv12, 8, 6), (.yuv422p, 7, 5), (.yuv420p10, 1, 1), (.nv12, 40, 3),
        ] {
            let mask = PixelBuffer.make(.gray8, width: width, height: height) { _, _, _, _ in
                Int(UInt8.random(in: 0...255, using: &noise))
            }
            let layout = format.planes[1]
            let size = format.planeSize(1, width: width, height: height)
            mask.withPlane(0) {
                plane.update(
                    from: $0, layout: layout, width: size.width, height: size.height, chromaLocation: .left)
            }
            for y in 0..<size.height {
                let found = plane.withPlane { plane in (0..<size.width).map { plane.row(y, as: UInt8.self)[$0] } }
                var expected: [UInt8] = []
                mask.withPlane(0) { mask in
                    rows.withRow(y, of: mask, layout: layout, width: size.width, chromaLocation: .left) { row in
                        expected = (0..<size.width).map { row[$0 * layout.componentCount] }
                    }
                }
                #expect(found == expected)
            }
        }
    }

    @Test(arguments: 1...4)
    func alphaIsRepeatedForEveryComponent(_ components: Int) {
        var rows = AlphaRows()
        for width in [1, 5, 64, 3] {
            let row = (0..<width).map { UInt8(truncatingIfNeeded: $0 * 37 + 255) }
            var found: [UInt8] = []
            rows.withRepeated(row, width: width, components) { repeated in
                found = (0..<width * components).map { repeated[$0] }
            }
            #expect(found == row.flatMap { Array(repeating: $0, count: components) })
        }
    }
}
