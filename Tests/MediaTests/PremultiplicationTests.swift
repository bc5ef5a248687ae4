import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Colours that are multiplied by their alpha, against a reference that takes one sample after the other.
@Suite struct PremultiplicationTests {
    private let scratch = TemporaryFolder()

    @Test(arguments: PixelFormat.alphaFormats, [true, false])
    func everySampleIsThatOfTheReference(format: PixelFormat, isFullRange: Bool) {
        for (width, height) in [(96, 64), (33, 17), (1, 1), (2, 3)] {
            let pictures = AlphaPictures(format: format, width: width, height: height)
            let source = pictures.buffer(frame: 2)
            let result = AlphaPremultiplier().premultiply(source, isFullRange: isFullRange)
            let truth = reference(samples(of: source), format, width: width, height: height, isFullRange: isFullRange)
            #expect(samples(of: result) == truth)
        }
    }

    @Test func whatHasNoAlphaStaysAsItIs() {
        var buffer = MutablePixelBuffer(format: .yuv420p, width: 4, height: 4)
        buffer.withMutablePlanes { planes in
            for plane in planes { memset(plane.base, 77, plane.bytesPerRow * plane.height) }
        }
        let source = buffer.publish()
        let result = AlphaPremultiplier().premultiply(source, isFullRange: false)
        #expect(samples(of: result) == samples(of: source))
    }

    @Test(arguments: [PixelFormat.yuva420p, .rgba, .yuva444p10])
    func fileHoldsTheProducts(format: PixelFormat) throws {
        let output = scratch.path("out.mkv")
        let pictures = AlphaPictures(format: format)
        try pictures.write(2, to: output, settings: .init(keepsAlpha: true, alpha: .premultiplied), in: scratch)
        let decoded = try rawPictures(output, format: format.name, in: scratch)
        let truth = (0..<2).flatMap { frame in
            let values = reference(
                samples(of: pictures.buffer(frame: frame)), format, width: 96, height: 64, isFullRange: false)
            return values.flatMap { plane in
                plane.flatMap { value in
                    format.bytesPerComponent == 1 ? [UInt8(value)] : [UInt8(value & 0xFF), UInt8(value >> 8)]
                }
            }
        }
        #expect(decoded == truth)
    }

    /// What is transparent is black: a decoder that knows nothing of alpha shows it so.
    @Test func blankIsBlackInProRes() throws {
        let output = scratch.path("out.mov")
        let pictures = AlphaPictures(format: .rgba)
        try pictures.write(1, to: output, settings: .init(keepsAlpha: true, alpha: .premultiplied), in: scratch)
        let pixels = try rawPictures(output, format: "rgba", in: scratch)
        let blank = (0..<(96 * 64)).filter { pixels[4 * $0 + 3] == 0 && $0 % 96 < 16 }
        #expect(blank.count >= 16 * 60)
        #expect(blank.allSatisfy { pixels[4 * $0] < 6 && pixels[4 * $0 + 1] < 6 && pixels[4 * $0 + 2] < 6 })
    }

    @Test(arguments: [
        ("out.webm", "vp9"), ("out.webp", "webp"), ("out-%d.png", "png"), ("out.apng", "apng"), ("out-%d.avif", "av1"),
        ("out-%d.tiff", "tiff"), ("out-%d.jxl", "jpegxl"),
    ])
    func formatsOfStraightAlphaRefuseIt(name: String, codec: String) throws {
        let output = scratch.path(name)
        let error = try mediaError {
            try AlphaPictures(format: .rgba).write(
                1, to: output, settings: .init(keepsAlpha: true, alpha: .premultiplied), in: scratch)
        }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't encode '\(output)': \(codec) defines straight alpha; leave --alpha premultiplied out, or name the output .mov, .mkv or .exr"
        )
        #expect(scratch.contents == ["clip-1.mkv"])
    }

    @Test func nothingToMultiplyByIsAMistake() throws {
        let output = scratch.path("out.mkv")
        let error = try mediaError {
            try AlphaPictures(format: .rgba).write(1, to: output, settings: .init(alpha: .premultiplied), in: scratch)
        }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't encode '\(output)': there is no alpha to multiply by; leave --alpha premultiplied out")
    }

    /// All components of each plane, row after row.
    private func samples(of buffer: PixelBuffer) -> [[Int]] {
        buffer.withPlanes { planes in
            planes.enumerated().map { index, plane in
                let count = plane.width * buffer.format.planes[index].componentCount
                return (0..<plane.height).flatMap { y in
                    (0..<count).map { x in
                        buffer.format.bytesPerComponent == 1
                            ? Int(plane.row(y, as: UInt8.self)[x]) : Int(plane.row(y, as: UInt16.self)[x])
                    }
                }
            }
        }
    }

    private func reference(
        _ samples: [[Int]], _ format: PixelFormat, width: Int, height: Int, isFullRange: Bool
    ) -> [[Int]] {
        let one = Double((1 << format.bitDepth) - 1)
        if format.colorModel == .rgb {
            return [
                samples[0].indices.map { index in
                    guard index % 4 < 3 else { return samples[0][index] }
                    return Int((Double(samples[0][index] * samples[0][index / 4 * 4 + 3]) / one).rounded())
                }
            ]
        }
        var result = samples
        for plane in 0..<3 {
            let layout = format.planes[plane]
            let size = format.planeSize(plane, width: width, height: height)
            let luma = isFullRange ? 0 : 16 << (format.bitDepth - 8)
            let zero = Double(plane == 0 ? luma : 1 << (format.bitDepth - 1))
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let rows = (y << layout.verticalShift)..<min((y + 1) << layout.verticalShift, height)
                    let columns = (x << layout.horizontalShift)..<min((x + 1) << layout.horizontalShift, width)
                    let covered = rows.flatMap { row in columns.map { samples[3][row * width + $0] } }
                    let product =
                        (Double(samples[plane][y * size.width + x]) - zero) * Double(covered.reduce(0, +))
                        / (one * Double(covered.count))
                    result[plane][y * size.width + x] = Int(product.rounded() + zero)
                }
            }
        }
        return result
    }
}
