import Compositing
import Imaging
import Testing

struct GivenForegroundTests {
    /// A map of one colour.
    private func colors(_ color: RGBColor) -> RGBMap {
        var map = RGBMap(width: 4, height: 3)
        for i in 0..<12 {
            map.values[3 * i] = color.red
            map.values[3 * i + 1] = color.green
            map.values[3 * i + 2] = color.blue
        }
        return map
    }

    private func codes(_ color: RGBColor, _ format: PixelFormat) -> [Int] {
        ColorConversion(format: format, color: ColorDescription(), width: 16, height: 12)
            .codeValues(red: color.red, green: color.green, blue: color.blue).map(Int.init)
    }

    // A grey frame, half of it soft: there the people have the colour that was given.
    @Test(arguments: [PixelFormat.yuv444p, .yuv420p10, .nv12, .rgb24, .bgra])
    func softEdgesHaveTheGivenColor(_ format: PixelFormat) throws {
        let grey = 1 << (format.bitDepth - 1)
        let frame = VideoFrame(pixelBuffer: picture(format, width: 16, height: 12) { _, _, _, _ in grey })
        let half = mask(width: 16, height: 12) { x, _ in x < 8 ? 128 : 255 }
        let (given, behind) = (RGBColor(red: 1, green: 0.2, blue: 0.1), RGBColor(red: 0, green: 0.5, blue: 1))
        let result = Compositor().composite(frame, mask: half, foreground: colors(given), over: .color(behind))
        let (front, back) = (codes(given, format), codes(behind, format))
        for plane in format.planes.indices {
            let components = format.planes[plane].componentCount
            let found = result.pixelBuffer.components(of: plane)
            let width = found.count / format.planeSize(plane, width: 16, height: 12).height
            for component in 0..<components {
                let index: Int? =
                    switch format.colorModel {
                    case .rgb: format.redGreenBlue.firstIndex(of: component)
                    default: components == 2 ? 1 + component : plane
                    }
                #expect(found[width - components + component] == grey || index == nil, "opaque pixels stay")
                guard let index else { continue }
                let mixed = Double(front[index]) * 128 / 255 + Double(back[index]) * 127 / 255
                #expect(abs(Double(found[component]) - mixed) < 0.01 * Double(1 << format.bitDepth))
            }
        }
    }

    @Test func aTurnedFrameTakesTheColorsUpright() {
        var left = colors(RGBColor(red: 1, green: 0, blue: 0))
        for y in 0..<3 { for x in 2..<4 { left.values[3 * (4 * y + x)] = 0 } }
        var frame = VideoFrame(pixelBuffer: picture(.rgb24, width: 16, height: 12) { _, _, _, _ in 128 })
        frame.orientation = .down
        let soft = mask(width: 16, height: 12) { _, _ in 254 }
        let result = Compositor().composite(
            frame, mask: soft, foreground: left, over: .color(RGBColor(red: 0, green: 0, blue: 0)))
        let row = result.pixelBuffer.components(of: 0)[0..<48]
        #expect(
            row[row.startIndex] == 0 && row[row.startIndex + 45] > 250, "left is right in a frame stored upside down")
    }
}
