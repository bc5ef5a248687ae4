import Imaging
import Testing

@testable import Compositing

struct ForegroundExtractorTests {
    private static let formats = PixelFormat.videoFormats.filter { $0.withAlpha != nil }

    // The frame's component that stands at `place` of plane `plane` of the foreground; nil where that is alpha.
    private func source(_ format: PixelFormat, _ plane: Int, _ place: Int) -> (plane: Int, place: Int)? {
        if format.colorModel == .rgb {
            let count = format.planes[0].componentCount
            return place % 4 == 3 ? nil : (0, place / 4 * count + place % 4)
        }
        if plane == 3 { return nil }
        return format == .nv12 && plane > 0 ? (1, 2 * place + plane - 1) : (plane, place)
    }

    @Test(arguments: formats)
    func pureAlphaGivesTheFrameAndNothing(_ format: PixelFormat) throws {
        let (width, height) = (21, 11)
        let frame = VideoFrame(
            pixelBuffer: noise(format, width: width, height: height), color: ColorDescription(chromaLocation: .center))
        for value in [0, 255] as [UInt8] {
            let pure = mask(width: width, height: height) { _, _ in value }
            let result = try #require(ForegroundExtractor().foreground(of: frame, mask: pure))
            let output = result.pixelBuffer.format
            #expect(output == format.withAlpha)
            let before = frame.pixelBuffer.components()
            for (plane, components) in result.pixelBuffer.components().enumerated() {
                for (place, found) in components.enumerated() {
                    let neutral = output.colorModel == .yuv && plane > 0 ? 1 << (output.bitDepth - 1) : 0
                    let alpha = value == 0 ? 0 : (1 << output.bitDepth) - 1
                    let expected =
                        source(format, plane, place).map { value == 0 ? neutral : before[$0.plane][$0.place] } ?? alpha
                    #expect(found == expected)
                }
            }
        }
    }

    @Test(arguments: formats)
    func softEdgesHaveTheirOwnColor(_ format: PixelFormat) throws {
        let scene = ForegroundEstimationTests.Scene(format: format, width: 96, height: 64)
        let frame = scene.frame
        let result = try #require(ForegroundExtractor().foreground(of: frame, mask: scene.mask))
        let before = frame.pixelBuffer.components()
        var truth = before.map { [Double?](repeating: nil, count: $0.count) }
        scene.forEachSoft { plane, place, alpha, foreground in
            if alpha > 0.25 { truth[plane][place] = foreground }
        }
        var (error, plainError, count) = (0.0, 0.0, 0)
        for (plane, components) in result.pixelBuffer.components().enumerated() {
            for (place, found) in components.enumerated() {
                guard let origin = source(format, plane, place),
                    let foreground = truth[origin.plane][origin.place]
                else { continue }
                error += abs(Double(found) - foreground)
                plainError += abs(Double(before[origin.plane][origin.place]) - foreground)
                count += 1
            }
        }
        #expect(count > 100)
        #expect(error / Double(count) < 0.02 * scene.peak)
        #expect(error < 0.15 * plainError)
        // Alpha itself is the mask, full range.
        let alpha =
            format.colorModel == .rgb
            ? result.pixelBuffer.components(of: 0).enumerated().filter { $0.offset % 4 == 3 }.map(\.element)
            : result.pixelBuffer.components(of: 3).map { $0 >> (format.bitDepth - 8) }
        #expect(alpha == scene.mask.components(of: 0))
    }

    @Test func formatsWithoutAlphaHaveNoForeground() {
        let frame = VideoFrame(pixelBuffer: noise(.gray16, width: 4, height: 4))
        let result = ForegroundExtractor().foreground(of: frame, mask: mask(width: 4, height: 4) { _, _ in 255 })
        #expect(result == nil)
    }
}
