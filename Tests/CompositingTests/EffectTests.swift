import Glibc
import Imaging
import Testing

@testable import Compositing

/// What effects do to the background, and that they leave the people alone.
struct EffectTests {
    private static let all: [[Effect]] = [
        [.dim(stops: 1)], [.desaturate(amount: 0.7)], [.pixelate(side: 60)], [.spotlight(stops: 2)],
        [.shadow(opacity: 0.6)], [.outline(width: 40, color: RGBColor(red: 1, green: 0.5, blue: 0))],
        [.dim(stops: 2), .pixelate(side: 90), .shadow(opacity: 1), .outline(width: 30, color: CompositorTests.red)],
    ]

    private static let backgrounds: [Background] = [
        .color(CompositorTests.red), .original, .blur(radius: 90), .bokeh(radius: 90),
    ]

    @Test(arguments: PixelFormat.videoFormats)
    func alphaOneIsExactlyTheFrame(_ format: PixelFormat) {
        let (width, height) = (21, 13)
        let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height))
        let whole = mask(width: width, height: height) { _, _ in 255 }
        for background in Self.backgrounds {
            for effects in Self.all {
                let result = Compositor().composite(frame, mask: whole, over: background, effects: effects)
                #expect(result.pixelBuffer.components() == frame.pixelBuffer.components(), "\(background) \(effects)")
            }
        }
    }

    @Test(arguments: PixelFormat.videoFormats)
    func alphaZeroIsExactlyThePicture(_ format: PixelFormat) {
        let (width, height) = (19, 11)
        let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height))
        let behind = noise(format, width: width, height: height, seed: 7)
        let result = Compositor().composite(
            frame, mask: mask(width: width, height: height) { _, _ in 0 }, over: .picture(behind))
        #expect(result.pixelBuffer.components() == behind.components())
    }

    @Test(arguments: PixelFormat.videoFormats)
    func theOriginalBackgroundIsTheFrame(_ format: PixelFormat) {
        let (width, height) = (40, 24)
        let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height))
        let soft = mask(width: width, height: height) { x, _ in UInt8(min(max((x - 12) * 16, 0), 255)) }
        let plain = Compositor().composite(frame, mask: soft, over: .original)
        #expect(plain.pixelBuffer.components() == frame.pixelBuffer.components())
    }

    // What is taken out as the people's comes back with them, whatever their colour was taken for.
    @Test func theRemainderMakesTheFrameWhole() {
        let count = 4000
        var state: UInt32 = 3
        func next() -> Int {
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int(state >> 8)
        }
        var (mixed, people, alpha) = ([UInt8](), [UInt8](), [UInt8]())
        for _ in 0..<count {
            let (person, behind, share) = (next() % 256, next() % 256, next() % 255)
            mixed.append(UInt8((person * share + behind * (255 - share)) / 255))
            people.append(UInt8(person))
            alpha.append(UInt8(share))
        }
        var rest = [UInt8](repeating: 0, count: count)
        rest.withUnsafeMutableBufferPointer {
            UInt8.remainder(mixed, foreground: people, alpha: alpha, peak: 255, into: $0.baseAddress!, count: count)
        }
        var again = rest
        again.withUnsafeMutableBufferPointer {
            UInt8.blend(foreground: people, background: rest, alpha: alpha, into: $0.baseAddress!, count: count)
        }
        for i in 0..<count { #expect(abs(Int(again[i]) - Int(mixed[i])) <= 1) }
    }

    @Test(arguments: [PixelFormat.yuv420p, .nv12, .yuv422p10, .rgb24, .bgra, .gray8], [UInt8(1), 16, 18])
    func dimmingScalesAboutBlack(_ format: PixelFormat, _ transfer: UInt8) {
        let (width, height) = (14, 10)
        let color = ColorDescription(matrix: .bt709, range: .limited, transfer: transfer)
        let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height), color: color)
        let result = Compositor().composite(
            frame, mask: mask(width: width, height: height) { _, _ in 0 }, over: .original, effects: [.dim(stops: 1)])
        let factor = exp2(-1 / [1: 2.2, 16: 5.5, 18: 2.0][transfer]!)
        let black = ColorConversion(format: format, color: color, width: width, height: height)
            .exactCodeValues(red: 0, green: 0, blue: 0)
        for (plane, layout) in format.planes.enumerated() {
            let zero = format.colorModel == .yuv && plane > 0 ? black.y : black.x
            let (before, after) = (frame.pixelBuffer.components(of: plane), result.pixelBuffer.components(of: plane))
            for (place, value) in before.enumerated() {
                let isAlpha = place % layout.componentCount == 3
                let expected = isAlpha ? Double(value) : max(Double(zero) + (Double(value) - Double(zero)) * factor, 0)
                #expect(abs(Double(after[place]) - expected) <= 0.51)
            }
        }
    }

    @Test(arguments: [PixelFormat.yuv420p, .nv12, .yuv444p10, .rgb24, .bgra])
    func withoutColourOnlyGreyIsLeft(_ format: PixelFormat) {
        let (width, height) = (14, 10)
        let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height))
        let result = Compositor().composite(
            frame, mask: mask(width: width, height: height) { _, _ in 0 }, over: .original,
            effects: [.desaturate(amount: 1)])
        guard format.colorModel == .yuv else {
            let count = format.planes[0].componentCount
            let (before, after) = (frame.pixelBuffer.components(of: 0), result.pixelBuffer.components(of: 0))
            for x in stride(from: 0, to: after.count, by: count) {
                #expect(after[x] == after[x + 1] && after[x] == after[x + 2])
                let luma = zip(format.redGreenBlue, [0.2126, 0.7152, 0.0722]).map { Double(before[x + $0]) * $1 }
                #expect(abs(Double(after[x]) - luma.reduce(0, +)) <= 0.51)
            }
            return
        }
        #expect(result.pixelBuffer.components(of: 0) == frame.pixelBuffer.components(of: 0))
        for plane in 1..<format.planes.count {
            #expect(result.pixelBuffer.components(of: plane).allSatisfy { $0 == 1 << (format.bitDepth - 1) })
        }
    }

    /// A person in the middle of a grey picture 180 pixels high.
    private func scene(_ orientation: Orientation = .up) -> (frame: VideoFrame, mask: PixelBuffer) {
        let (width, height) = orientation.swapsAxes ? (180, 240) : (240, 180)
        let frame = VideoFrame(
            pixelBuffer: picture(.gray8, width: width, height: height) { _, _, _, _ in 160 }, orientation: orientation)
        let person = mask(width: width, height: height) { x, y in
            abs(x - width / 2) < 20 && abs(y - height / 2) < 20 ? 255 : 0
        }
        return (frame, person)
    }

    @Test func aSpotlightLeavesThePeoplesPlaceBright() {
        let (frame, person) = scene()
        let result = Compositor().composite(frame, mask: person, over: .original, effects: [.spotlight(stops: 2)])
        let row = Array(result.pixelBuffer.components(of: 0)[90 * 240..<91 * 240])
        #expect(row[98] > 130, "beside the person")
        #expect(row[2] == Int((160 * exp2(-2 / 2.2)).rounded()), "far away")
        #expect(zip(row[0..<100], row[1..<100]).allSatisfy { $0 <= $1 }, "brighter towards the person")
    }

    @Test(arguments: Orientation.allCases)
    func aShadowFallsDownAndToTheRight(_ orientation: Orientation) {
        let (frame, person) = scene(orientation)
        let result = Compositor().composite(frame, mask: person, over: .original, effects: [.shadow(opacity: 0.8)])
        let (width, height) = (result.pixelBuffer.width, result.pixelBuffer.height)
        let values = result.pixelBuffer.components(of: 0)
        func value(right: Double, down: Double) -> Int {
            let place = orientation.uprightToStored.apply(0.5 + right / 240, 0.5 + down / 180)
            return values[Int(place.y * Double(height)) * width + Int(place.x * Double(width))]
        }
        #expect(value(right: 0, down: 21.5) < value(right: 0, down: -21.5) - 10, "below the person and above")
        #expect(value(right: 21.5, down: 0) < value(right: -21.5, down: 0) - 5, "to the right and to the left")
        #expect(value(right: 80, down: 0) == 160, "far away")
        #expect(value(right: 0, down: 0) == 160, "the person")
        #expect(values.allSatisfy { $0 <= 160 })
    }

    @Test func lightOfABrightBackgroundSpillsOverEdgesAlone() {
        let (frame, person) = scene()
        let light = Compositor().composite(
            frame, mask: person, over: .color(RGBColor(red: 1, green: 1, blue: 1)), effects: [.lightWrap(amount: 0.6)])
        let row = Array(light.pixelBuffer.components(of: 0)[90 * 240..<91 * 240])
        #expect(row[101] > 175 && row[101] > row[104] && row[104] >= row[110])
        #expect(row[120] == 160, "the person's middle")
        #expect(row[..<100].allSatisfy { $0 == 255 }, "the background itself")
        let dark = Compositor().composite(
            frame, mask: person, over: .color(RGBColor(red: 0, green: 0, blue: 0)), effects: [.lightWrap(amount: 1)])
        #expect(dark.pixelBuffer.components(of: 0)[90 * 240 + 101] == 160, "there is no dark light")
    }

    // Limited range: black is 16, and neutral chroma 128.
    @Test func lightIsAsMuchOfEveryPlaneAndBlackIsNone() {
        let (width, height) = (240, 180)
        let color = ColorDescription(matrix: .bt709, range: .limited, chromaLocation: .center)
        let frame = VideoFrame(
            pixelBuffer: picture(.yuv420p, width: width, height: height) { plane, _, _, _ in plane == 0 ? 160 : 128 },
            color: color)
        let person = mask(width: width, height: height) { x, y in
            abs(2 * x - 239) < 80 && abs(2 * y - 179) < 80 ? 255 : 0
        }
        func composite(_ background: RGBColor) -> PixelBuffer {
            Compositor().composite(
                frame, mask: person, over: .color(background), effects: [.lightWrap(amount: 1)]
            ).pixelBuffer
        }
        let dark = composite(RGBColor(red: 0, green: 0, blue: 0)).components(of: 0)
        #expect(dark[90 * 240 + 81] == 160 && dark[90 * 240 + 120] == 160, "there is no dark light")
        let chroma = composite(RGBColor(red: 1, green: 1, blue: 0)).components(of: 1)
        let row = Array(chroma[45 * 120..<46 * 120])
        #expect(row[41] < 124 && row[60] == 128, "at the person's edge alone")
        #expect(zip(row, row.reversed()).allSatisfy { abs($0 - $1) <= 1 }, "as much on both sides")
    }

    /// Somebody white before grey.
    private func whitePerson() -> (frame: VideoFrame, mask: PixelBuffer) {
        let person = mask(width: 240, height: 180) { x, y in abs(x - 120) < 20 && abs(y - 90) < 20 ? 255 : 0 }
        let alpha = person.components(of: 0)
        let frame = picture(.gray8, width: 240, height: 180) { _, _, x, y in alpha[y * 240 + x] > 0 ? 255 : 60 }
        return (VideoFrame(pixelBuffer: frame), person)
    }

    @Test func squaresHoldNothingOfThePeople() {
        let (frame, person) = whitePerson()
        let result = Compositor().composite(frame, mask: person, over: .original, effects: [.pixelate(side: 60)])
        #expect(result.pixelBuffer.components(of: 0).allSatisfy { $0 == 255 || abs($0 - 60) <= 1 })
    }

    @Test func peopleShedNoLightOnThemselves() {
        let (frame, person) = whitePerson()
        func row(_ frame: VideoFrame) -> [Int] {
            let result = Compositor().composite(
                frame, mask: person, over: .original, effects: [.lightWrap(amount: 1)])
            return Array(result.pixelBuffer.components(of: 0)[90 * 240..<91 * 240])
        }
        // The light of a plain background is the same whoever stands before it.
        let plain = VideoFrame(pixelBuffer: picture(.gray8, width: 240, height: 180) { _, _, _, _ in 60 })
        let over = Compositor().composite(
            frame, mask: person, over: .picture(plain.pixelBuffer), effects: [.lightWrap(amount: 1)])
        #expect(
            zip(row(frame), over.pixelBuffer.components(of: 0)[90 * 240..<91 * 240]).allSatisfy { abs($0 - $1) <= 1 })
    }

    @Test func nothingOfAShadowStaysWhenItIsTurnedOff() {
        let (frame, person) = scene()
        let compositor = Compositor()
        _ = compositor.composite(
            frame, mask: person, over: .original, effects: [.shadow(opacity: 0.8), .dim(stops: 1)])
        let after = compositor.composite(frame, mask: person, over: .original, effects: [.dim(stops: 1)])
        let alone = Compositor().composite(frame, mask: person, over: .original, effects: [.dim(stops: 1)])
        #expect(after.pixelBuffer.components() == alone.pixelBuffer.components())
    }

    @Test(arguments: [(62, 90), (70, 100), (45, 80), (113, 71)], [PixelFormat.yuv420p, .yuv422p, .yuv444p])
    func squaresOfColourLieOnThoseOfLuma(_ size: (width: Int, height: Int), _ format: PixelFormat) {
        let frame = VideoFrame(pixelBuffer: noise(format, width: size.width, height: size.height))
        let nobody = mask(width: size.width, height: size.height) { _, _ in 0 }
        let result = Compositor().composite(frame, mask: nobody, over: .original, effects: [.pixelate(side: 42)])
        /// Where squares meet, in samples of luma.
        func borders(_ plane: Int, isAcross: Bool) -> [Int] {
            let layout = format.planes[plane]
            let (width, height) = format.planeSize(plane, width: size.width, height: size.height)
            let samples = result.pixelBuffer.components(of: plane)
            let step = isAcross ? 1 : width
            return (1..<(isAcross ? width : height)).filter { border in
                (0..<(isAcross ? height : width)).contains { line in
                    let place = isAcross ? line * width + border : border * width + line
                    return samples[place] != samples[place - step]
                }
            }.map { $0 << (isAcross ? layout.horizontalShift : layout.verticalShift) }
        }
        for isAcross in [true, false] {
            let luma = borders(0, isAcross: isAcross)
            #expect(luma.count > 7)
            for plane in 1...2 { #expect(borders(plane, isAcross: isAcross) == luma) }
        }
    }

    @Test func theLastOfAKindCounts() {
        #expect(EffectSettings([.dim(stops: 1), .dim(stops: 3)]) == EffectSettings([.dim(stops: 3)]))
        #expect(
            EffectSettings([.dim(stops: 1), .shadow(opacity: 1)])
                == EffectSettings([.shadow(opacity: 1), .dim(stops: 1)]))
    }
}
