import Imaging
import MatteVision
import TestSupport
import Testing

@testable import Matte

/// What the stateful request remembers, and when it forgets.
struct SegmentationSequenceTests {
    typealias Request = GeneratePersonSegmentationRequest

    private func masks(_ request: Request, _ frames: [VideoFrame]) throws -> [[UInt8]] {
        try frames.map { try request.perform(on: $0).pixelBuffer.luma() }
    }

    @Test func timeThatGoesBackwardsBeginsASequence() throws {
        let frames = try SampleClip.frames(limit: 5)
        let request = Request(qualityLevel: .balanced)
        let first = try masks(request, frames)
        #expect(try masks(request, frames) == first)
    }

    @Test(arguments: Request.QualityLevel.allCases)
    func anotherSizeBeginsASequence(_ level: Request.QualityLevel) throws {
        let frames = try SampleClip.frames(limit: 2)
        let request = Request(qualityLevel: level)
        let first = try masks(request, frames)
        var other = MutablePixelBuffer(format: .gray8, width: 80, height: 45)
        other.withMutablePlane(0) { plane in
            for y in 0..<45 { plane.row(y, as: UInt8.self).update(repeating: 90, count: 80) }
        }
        let small = try request.perform(on: VideoFrame(pixelBuffer: other.publish(), pts: 1_000_000_000))
        #expect(small.pixelBuffer.width == 80 && small.pixelBuffer.height == 45)
        #expect(try masks(request, frames) == first)
    }

    @Test func aSceneCutClearsTheState() throws {
        let frames = try SampleClip.frames(limit: 3)
        let request = Request(qualityLevel: .balanced)
        let fresh = try masks(Request(qualityLevel: .balanced), [frames[2]])
        var dark = MutablePixelBuffer(format: .yuv420p, width: 640, height: 360)
        dark.withMutablePlanes { planes in
            for (index, plane) in planes.enumerated() {
                for y in 0..<plane.height {
                    plane.row(y, as: UInt8.self).update(repeating: index == 0 ? 235 : 128, count: plane.width)
                }
            }
        }
        var blank = VideoFrame(pixelBuffer: dark.publish(), pts: 0)
        blank.timeBase = frames[2].timeBase
        _ = try request.perform(on: blank)
        #expect(try masks(request, [frames[2]]) == fresh)
    }

    @Test func masksOfAllFormatsAgree() throws {
        let frame = try #require(try SampleClip.frames(limit: 1).first)
        let bytes = try Request(qualityLevel: .balanced).perform(on: frame).pixelBuffer.luma()
        for format in [Request.OutputPixelFormat.oneComponent16Half, .oneComponent32Float] {
            let request = Request(qualityLevel: .balanced)
            request.outputPixelFormat = format
            let mask = try request.perform(on: frame).pixelBuffer
            let values: [Float] = mask.withPlane(0) { plane in
                (0..<mask.height).flatMap { y in
                    (0..<mask.width).map { x in
                        format == .oneComponent16Half
                            ? Float(plane.row(y, as: Float16.self)[x]) : plane.row(y, as: Float.self)[x]
                    }
                }
            }
            #expect(zip(bytes, values).allSatisfy { abs(Float($0) / 255 - $1) <= 0.5 / 255 + 1e-3 })
        }
    }

    @Test func aPictureWithoutPeopleHasAnEmptyMask() throws {
        for level in Request.QualityLevel.allCases {
            var grey = MutablePixelBuffer(format: .gray8, width: 320, height: 180)
            grey.withMutablePlane(0) { plane in
                for y in 0..<180 {
                    for x in 0..<320 { plane.row(y, as: UInt8.self)[x] = UInt8(60 + x / 4 + y / 3) }
                }
            }
            let frame = VideoFrame(pixelBuffer: grey.publish())
            let mask = try Request(qualityLevel: level).perform(on: frame).pixelBuffer.luma()
            #expect(mask.allSatisfy { $0 < 26 }, "\(level)")
        }
    }

    @Test func turnedFramesGiveTurnedMasks() throws {
        let frame = try #require(try SampleClip.frames(limit: 1).first)
        let upright = try Request(qualityLevel: .balanced).perform(on: frame).pixelBuffer.luma()
        // Stored upside down, to be shown turned by half a circle: the same picture, the mask as it is stored.
        var turned = frame
        turned.orientation = .down
        turned.pixelBuffer = halfTurn(frame.pixelBuffer)
        let mask = try Request(qualityLevel: .balanced).perform(on: turned).pixelBuffer.luma()
        let difference = zip(upright, mask.reversed()).map { abs(Int($0) - Int($1)) }.reduce(0, +)
        // Not zero: turned, the chroma samples lie on the other side of their pixels.
        #expect(Double(difference) / Double(upright.count) < 1)
    }

    private func halfTurn(_ source: PixelBuffer) -> PixelBuffer {
        var target = MutablePixelBuffer(format: source.format, width: source.width, height: source.height)
        source.withPlanes { planes in
            target.withMutablePlanes { targets in
                for (plane, target) in zip(planes, targets) {
                    for y in 0..<plane.height {
                        for x in 0..<plane.width {
                            target.row(plane.height - 1 - y, as: UInt8.self)[plane.width - 1 - x] =
                                plane.row(y, as: UInt8.self)[x]
                        }
                    }
                }
            }
        }
        return target.publish()
    }
}
