import Imaging
import MatteMetrics
import Testing

@testable import QualitySuite

struct AlphaMatteTests {
    private func frame(_ format: PixelFormat, _ luma: [UInt16], range: ColorDescription.Range) -> VideoFrame {
        var buffer = MutablePixelBuffer(format: format, width: luma.count, height: 1)
        buffer.withMutablePlane(0) { plane in
            for (x, value) in luma.enumerated() {
                if format.bytesPerComponent == 1 {
                    plane.row(0, as: UInt8.self)[x] = UInt8(value)
                } else {
                    plane.row(0, as: UInt16.self)[x] = value
                }
            }
        }
        return VideoFrame(pixelBuffer: buffer.publish(), color: ColorDescription(range: range))
    }

    @Test func lumaIsReadInItsOwnRange() {
        #expect(AlphaMatte(frame(.gray8, [0, 51, 255], range: .unspecified)).values == [0, 0.2, 1])
        #expect(AlphaMatte(frame(.yuv420p, [16, 235, 255], range: .limited)).values == [0, 1, 1])
        #expect(AlphaMatte(frame(.yuv420p, [0, 51, 255], range: .full)).values == [0, 0.2, 1])
        #expect(AlphaMatte(frame(.gray16, [0, 65535], range: .full)).values == [0, 1])
    }

    @Test func eightBitsGoThereAndBack() {
        let matte = AlphaMatte(width: 256, height: 1, values: (0...255).map { Float($0) / 255 })
        #expect(AlphaMatte(VideoFrame(pixelBuffer: matte.gray8)) == matte)
    }
}
