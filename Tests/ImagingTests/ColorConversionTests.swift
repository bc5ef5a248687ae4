import Testing

@testable import Imaging

struct ColorConversionTests {
    @Test func knownCodeValues() {
        func values(_ color: ColorDescription, _ format: PixelFormat, _ r: Float, _ g: Float, _ b: Float) -> [UInt16] {
            ColorConversion(format: format, color: color, width: 640, height: 480).codeValues(red: r, green: g, blue: b)
        }
        // ITU-R BT.601 and BT.709 colour bars at 100 %.
        let sd = ColorDescription(matrix: .smpte170m, range: .limited)
        let hd = ColorDescription(matrix: .bt709, range: .limited)
        #expect(values(sd, .yuv420p, 1, 1, 1) == [235, 128, 128])
        #expect(values(sd, .yuv420p, 1, 0, 0) == [81, 90, 240])
        #expect(values(hd, .yuv420p, 0, 1, 0) == [173, 42, 26])
        #expect(values(hd, .yuv420p10, 1, 1, 1) == [940, 512, 512])
        #expect(values(ColorDescription(matrix: .smpte170m, range: .full), .yuv420p, 0, 0, 0) == [0, 128, 128])
        #expect(values(ColorDescription(matrix: .smpte170m, range: .full), .yuv420p, 1, 0, 0) == [76, 85, 255])
        #expect(values(.unspecified, .rgb24, 1, 0.5, 0) == [255, 128, 0])
        #expect(values(ColorDescription(range: .full), .gray8, 1, 1, 1) == [255])
        #expect(values(.unspecified, .yuv420p, 1, 0, 0) == [81, 90, 240], "small pictures are BT.601")
    }

    @Test(arguments: PixelFormat.videoFormats)
    func everyFormatGivesBackItsColour(_ format: PixelFormat) {
        let matrices: [ColorDescription.Matrix] = [.bt709, .smpte170m, .fcc, .smpte240m, .bt2020NonConstantLuminance]
        for matrix in matrices {
            for range in [ColorDescription.Range.limited, .full] {
                let color = ColorDescription(matrix: matrix, range: range)
                let rgb = format.colorModel == .gray ? [Float](repeating: 0.4, count: 3) : [0.2, 0.7, 0.4]
                let buffer = PixelBuffer.make(
                    format, width: 7, height: 5, color: RGBColor(red: rgb[0], green: rgb[1], blue: rgb[2]),
                    description: color)
                let frame = VideoFrame(pixelBuffer: buffer, color: color)
                let found = sample(frame, Rectangle(x: 0, y: 0, width: 7, height: 5), 3, 2)
                let expected = Array(repeating: rgb, count: 6).flatMap(\.self)
                // Half a code value of each component, seen through the largest coefficients.
                #expect(near(found, expected, 1.2 / Float(1 << (min(format.bitDepth, 12) - 1))))
            }
        }
    }
}
