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

    /// Rows of the two fields lie between each other, in luma as in chroma.
    @Test(arguments: [ColorDescription.ChromaLocation.left, .topLeft, .bottom])
    func eachFieldOfAnInterlacedPictureHasItsOwn(_ location: ColorDescription.ChromaLocation) {
        var noise = Noise(state: 4)
        let mask = PixelBuffer.make(.gray8, width: 16, height: 20) { _, _, _, _ in
            Int(UInt8.random(in: 0...255, using: &noise))
        }
        let layout = PixelFormat.yuv420p.planes[1]
        func chroma(_ mask: Plane, height: Int, isInterlaced: Bool) -> [[UInt8]] {
            var plane = AlphaPlane()
            plane.update(
                from: mask, layout: layout, width: 8, height: height, chromaLocation: location,
                isInterlaced: isInterlaced)
            return plane.withPlane { plane in
                (0..<height).map { y in (0..<8).map { plane.row(y, as: UInt8.self)[$0] } }
            }
        }
        mask.withPlane(0) { mask in
            let whole = chroma(mask, height: 10, isInterlaced: true)
            for field in 0...1 {
                let alone = chroma(mask.everyOtherRow(from: field), height: 5, isInterlaced: false)
                #expect(stride(from: field, to: 10, by: 2).map { whole[$0] } == alone)
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
