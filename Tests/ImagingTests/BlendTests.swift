import Testing

@testable import Imaging

struct BlendTests {
    @Test func eightBitBlendIsExactAtBothEndsAndNearBetween() {
        for alpha in 0...255 {
            for (foreground, background) in [(0, 255), (255, 0), (255, 255), (0, 0), (17, 200), (201, 16)] {
                let found = blend([UInt8(foreground)], [UInt8(background)], [UInt8(alpha)])[0]
                let exact = Double(foreground * alpha + background * (255 - alpha)) / 255
                #expect(abs(Double(found) - exact) <= 1)
                if alpha == 0 { #expect(Int(found) == background) }
                if alpha == 255 { #expect(Int(found) == foreground) }
            }
        }
    }

    @Test func sixteenBitBlendHasNoOverflow() {
        #expect(
            blend([UInt16(65535), 65535, 0, 1023], [UInt16(65535), 0, 65535, 0], [255, 255, 0, 128])[0...2] == [
                65535, 65535, 65535,
            ])
        #expect(abs(Int(blend([UInt16(1023)], [UInt16(0)], [128])[0]) - 514) <= 2)
    }

    private func blend<T: PixelComponent>(_ foreground: [T], _ background: [T], _ alpha: [UInt8]) -> [T] {
        var target = [T](repeating: 0, count: foreground.count)
        T.blend(foreground: foreground, background: background, alpha: alpha, into: &target, count: foreground.count)
        return target
    }

    // Means over the pixels around each chroma sample, from the definition of each siting.
    @Test(arguments: [
        ColorDescription.ChromaLocation.left, .center, .topLeft, .top, .bottomLeft, .bottom, .unspecified,
    ])
    func chromaRowsAreMeansAroundTheirSamples(_ location: ColorDescription.ChromaLocation) {
        var noise = Noise(state: 11)
        for format in [PixelFormat.yuv420p, .yuv422p, .yuv444p, .nv12] {
            for (width, height) in [(1, 1), (2, 2), (3, 5), (8, 4), (33, 7), (256, 4), (259, 3)] {
                // Wide pictures have clear margins, which are passed over.
                let people = width < 100 ? 0..<width : width / 3..<2 * width / 3 + 1
                let alpha = PixelBuffer.make(.gray8, width: width, height: height) { _, _, x, _ in
                    people.contains(x) ? Int(UInt8.random(in: 0...255, using: &noise)) : 0
                }
                let layout = format.planes[1]
                let size = format.planeSize(1, width: width, height: height)
                var rows = AlphaRows()
                for y in 0..<size.height {
                    var found: [UInt8] = []
                    alpha.withPlane(0) { plane in
                        rows.withRow(y, of: plane, layout: layout, width: size.width, chromaLocation: location) { row in
                            found = (0..<size.width * layout.componentCount).map { row[$0] }
                        }
                    }
                    let bytes = alpha.bytes()
                    let expected = (0..<size.width).flatMap { x -> [UInt8] in
                        let value = reference(bytes, width, height, x, y, layout, location)
                        return Array(repeating: value, count: layout.componentCount)
                    }
                    #expect(found == expected)
                }
            }
        }
    }

    private func reference(
        _ alpha: [UInt8], _ width: Int, _ height: Int, _ x: Int, _ y: Int, _ layout: PixelFormat.PlaneLayout,
        _ location: ColorDescription.ChromaLocation
    ) -> UInt8 {
        func taps(_ i: Int, _ shift: Int, _ isOn: Bool, _ isSecond: Bool) -> [(Int, Int)] {
            if shift == 0 { return [(i, 4)] }
            let place = isSecond ? 2 * i + 1 : 2 * i
            return isOn ? [(place - 1, 1), (place, 2), (place + 1, 1)] : [(2 * i, 2), (2 * i + 1, 2)]
        }
        let left = [.left, .topLeft, .bottomLeft, .unspecified].contains(location)
        let onRow = [.top, .topLeft, .bottom, .bottomLeft].contains(location)
        let bottom = [.bottom, .bottomLeft].contains(location)
        var sum = 0
        for (j, v) in taps(y, layout.verticalShift, onRow, bottom) {
            for (i, u) in taps(x, layout.horizontalShift, left, false) {
                sum += u * v * Int(alpha[min(max(j, 0), height - 1) * width + min(max(i, 0), width - 1)])
            }
        }
        return UInt8((sum + 8) / 16)
    }
}
