import Imaging
import Testing

@testable import Compositing

/// People with an outline and a shadow where nothing is behind them.
struct StickerTests {
    private let width = 90
    private let height = 72
    private let formats: [PixelFormat] = [.yuv420p, .nv12, .yuv444p10, .rgb24, .bgra]

    private var person: PixelBuffer {
        mask(width: width, height: height) { x, y in 30..<60 ~= x && 20..<50 ~= y ? 255 : 0 }
    }

    private func alpha(_ frame: VideoFrame) -> [Int] {
        let picture = frame.pixelBuffer
        guard picture.format.colorModel == .rgb else {
            return picture.components(of: 3).map { $0 >> (picture.format.bitDepth - 8) }
        }
        let values = picture.components(of: 0)
        return stride(from: 3, to: values.count, by: 4).map { values[$0] }
    }

    @Test func anOutlineIsOpaqueAndHasItsColour() throws {
        for format in formats {
            let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height))
            let white = RGBColor(red: 1, green: 1, blue: 1)
            let cut = try #require(
                ForegroundExtractor().foreground(
                    of: frame, mask: person, effects: [.outline(width: 60, color: white)]))
            let alpha = alpha(cut)
            // Six pixels wide at this height.
            for x in 0..<width {
                let expected = 25..<65 ~= x ? 255 : x < 23 || x > 66 ? 0 : -1
                if expected >= 0 { #expect(alpha[30 * width + x] == expected, "\(format) \(x)") }
            }
            let first = cut.pixelBuffer.components(of: 0)
            let step = format.colorModel == .rgb ? 4 : 1
            let code = Int(
                ColorConversion(format: cut.pixelBuffer.format, color: frame.color, width: width, height: height)
                    .codeValues(red: 1, green: 1, blue: 1)[0])
            #expect(first[(30 * width + 26) * step] == code)
            #expect(first[(5 * width + 5) * step] == 0, "blank where nothing is")
            let source = frame.pixelBuffer.components(of: 0)
            let sourceStep = format.planes[0].componentCount
            #expect(first[(30 * width + 45) * step] == source[(30 * width + 45) * sourceStep], "the person")
        }
    }

    @Test func aShadowIsBlackWithAlpha() throws {
        for format in formats {
            let color = ColorDescription(range: .limited)
            let frame = VideoFrame(
                pixelBuffer: picture(format, width: width, height: height) { _, _, _, _ in 200 << (format.bitDepth - 8)
                },
                color: color)
            let cut = try #require(
                ForegroundExtractor().foreground(of: frame, mask: person, effects: [.shadow(opacity: 0.5)]))
            let alpha = alpha(cut)
            #expect(alpha[35 * width + 45] == 255)
            let below = 50 * width + 46
            #expect(40...128 ~= alpha[below], "\(alpha[below])")
            let step = format.colorModel == .rgb ? 4 : 1
            let black = Int(
                ColorConversion(format: cut.pixelBuffer.format, color: color, width: width, height: height)
                    .codeValues(red: 0, green: 0, blue: 0)[0])
            #expect(cut.pixelBuffer.components(of: 0)[below * step] == black)
            #expect(alpha[2 * width + 2] == 0)
        }
    }

    @Test func withoutEitherItIsThePeopleAlone() throws {
        let frame = VideoFrame(pixelBuffer: noise(.yuv420p, width: width, height: height))
        let plain = try #require(ForegroundExtractor().foreground(of: frame, mask: person))
        let dimmed = try #require(
            ForegroundExtractor().foreground(of: frame, mask: person, effects: [.dim(stops: 2)]))
        #expect(plain.pixelBuffer.components() == dimmed.pixelBuffer.components())
    }
}
