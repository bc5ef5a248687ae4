import Imaging
import Testing

@testable import Compositing

struct CompositorTests {
    static let red = RGBColor(red: 1, green: 0, blue: 0)

    @Test(arguments: PixelFormat.videoFormats)
    func alphaOneIsExactlyTheFrame(_ format: PixelFormat) {
        for (width, height) in [(1, 1), (5, 3), (16, 8), (33, 7)] {
            let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height))
            let result = Compositor().composite(
                frame, mask: mask(width: width, height: height) { _, _ in 255 }, over: .color(Self.red))
            #expect(result.pixelBuffer.components() == frame.pixelBuffer.components())
            #expect(result.pixelBuffer.format == format)
        }
    }

    @Test(arguments: PixelFormat.videoFormats)
    func alphaZeroIsExactlyTheBackground(_ format: PixelFormat) {
        let (width, height) = (7, 5)
        let color = ColorDescription(matrix: .bt709, range: .limited)
        let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height), color: color)
        let result = Compositor().composite(
            frame, mask: mask(width: width, height: height) { _, _ in 0 }, over: .color(Self.red))
        let values = ColorConversion(format: format, color: color, width: width, height: height)
            .codeValues(red: 1, green: 0, blue: 0).map(Int.init)
        for (index, plane) in result.pixelBuffer.components().enumerated() {
            let count = format.planes[index].componentCount
            for (place, value) in plane.enumerated() {
                let component = place % count
                let expected =
                    switch format.colorModel {
                    case .gray: values[0]
                    case .yuv: values[count == 2 ? 1 + component : index]
                    case .rgb: format.redGreenBlue.firstIndex(of: component).map { values[$0] } ?? 255
                    }
                #expect(value == expected)
            }
        }
    }

    // A cut-out of before, whose people would have holes in front of the new background.
    @Test(arguments: [PixelFormat.rgba, .bgra])
    func whatWasTransparentComesOutOpaque(_ format: PixelFormat) {
        let (width, height) = (70, 9)
        let opaque = noise(format, width: width, height: height)
        let colors = opaque.components(of: 0)
        let clear = picture(format, width: width, height: height) { _, component, x, y in
            component == 3 ? x * 3 : colors[4 * (y * width + x) + component]
        }
        let soft = mask(width: width, height: height) { x, _ in UInt8(min(max((x - 20) * 16, 0), 255)) }
        let cases: [(Background, [Effect])] = [
            (.color(Self.red), []), (.original, [.dim(stops: 1)]), (.blur(radius: 90), []),
            (.color(Self.red), [.lightWrap(amount: 1), .outline(width: 50, color: Self.red)]),
        ]
        for (background, effects) in cases {
            let expected = Compositor().composite(
                VideoFrame(pixelBuffer: opaque), mask: soft, over: background, effects: effects)
            let result = Compositor().composite(
                VideoFrame(pixelBuffer: clear), mask: soft, over: background, effects: effects)
            #expect(result.pixelBuffer.components() == expected.pixelBuffer.components(), "\(background) \(effects)")
            let components = expected.pixelBuffer.components(of: 0)
            #expect((0..<width * height).allSatisfy { components[4 * $0 + 3] == 255 })
        }
    }

    @Test func halfIsTheMeanOfBoth() {
        let frame = VideoFrame(
            pixelBuffer: noise(.rgb24, width: 9, height: 4), color: ColorDescription(range: .full))
        let result = Compositor().composite(
            frame, mask: mask(width: 9, height: 4) { _, _ in 128 },
            over: .color(RGBColor(red: 0, green: 0, blue: 0)))
        for (before, after) in zip(frame.pixelBuffer.components(of: 0), result.pixelBuffer.components(of: 0)) {
            #expect(abs(Double(after) - Double(before) * 128 / 255) <= 1)
        }
    }

    // A vertical edge of the mask between columns 3 and 4: chroma follows it at its own size.
    @Test func chromaFollowsTheMask() {
        let frame = VideoFrame(
            pixelBuffer: noise(.yuv420p, width: 8, height: 4), color: ColorDescription(chromaLocation: .center))
        let result = Compositor().composite(
            frame, mask: mask(width: 8, height: 4) { x, _ in x < 4 ? 255 : 0 }, over: .color(Self.red))
        let (before, after) = (frame.pixelBuffer.components(of: 1), result.pixelBuffer.components(of: 1))
        #expect([0, 1, 4, 5].allSatisfy { before[$0] == after[$0] })
        #expect([2, 3, 6, 7].allSatisfy { after[$0] == after[2] })
    }

    @Test func everythingElseTravelsOn() {
        var frame = VideoFrame(pixelBuffer: noise(.yuv420p, width: 4, height: 4), pts: 77, duration: 3)
        frame.timeBase = Rational(1, 90_000)
        frame.color = ColorDescription(matrix: .bt709, range: .full, primaries: 9, transfer: 16, chromaLocation: .left)
        frame.sampleAspectRatio = Rational(4, 3)
        frame.orientation = .right
        let result = Compositor().composite(
            frame, mask: mask(width: 4, height: 4) { _, _ in 9 }, over: .color(Self.red))
        #expect(result.pts == 77 && result.duration == 3 && result.timeBase == Rational(1, 90_000))
        #expect(result.color == frame.color && result.sampleAspectRatio == Rational(4, 3))
        #expect(result.orientation == .right)
    }

    @Test func theFrameItselfIsNotTouched() {
        let frame = VideoFrame(pixelBuffer: noise(.nv12, width: 6, height: 6))
        let before = frame.pixelBuffer.components()
        _ = Compositor().composite(frame, mask: mask(width: 6, height: 6) { _, _ in 0 }, over: .color(Self.red))
        #expect(frame.pixelBuffer.components() == before)
    }

    // ITU-R BT.2408: 203 cd/m2, which is 58 % of the signal in PQ and 75 % in HLG.
    @Test(arguments: [(UInt8(16), 0.5807), (18, 0.75), (1, 1.0)])
    func whiteBehindHDRIsReferenceWhite(_ transfer: UInt8, _ signal: Double) {
        let white = RGBColor(red: 1, green: 1, blue: 1)
        let color = ColorDescription(
            matrix: .bt2020NonConstantLuminance, range: .limited, primaries: 9, transfer: transfer)
        let frame = VideoFrame(pixelBuffer: noise(.yuv420p10, width: 8, height: 6), color: color)
        let nobody = mask(width: 8, height: 6) { _, _ in 0 }
        let painted = BackgroundPainter.picture(of: LinearGradient([white, white]), behind: frame)
        for background in [Background.color(white), .picture(painted)] {
            let result = Compositor().composite(frame, mask: nobody, over: background).pixelBuffer
            #expect(result.components(of: 0).allSatisfy { abs(Double($0) - (64 + 876 * signal)) <= 1 })
            #expect(result.components(of: 1).allSatisfy { abs($0 - 512) <= 1 })
        }
    }
}
