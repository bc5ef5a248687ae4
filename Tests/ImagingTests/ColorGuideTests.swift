import Testing

@testable import Imaging

struct ColorGuideTests {
    private struct Rows {
        let luma: [Float]
        let blue: [Float]
        let red: [Float]
    }

    private func read(_ frame: VideoFrame, _ y: Int, columns: Range<Int>) -> Rows {
        let guide = ColorGuide()
        guide.prepare(frame)
        var found = Rows(luma: [], blue: [], red: [])
        frame.pixelBuffer.withPlanes { planes in
            guide.withRow(y, columns: columns, of: planes) { row in
                found = Rows(
                    luma: columns.map { row.luma[$0] }, blue: columns.map { row.blue[$0] },
                    red: columns.map { row.red[$0] })
            }
        }
        return found
    }

    // Samples lie where the format and the siting have them: what is a slope over the pixels comes back as that slope.
    @Test(
        arguments: [PixelFormat.yuv420p, .nv12, .yuv422p, .yuv444p, .yuv420p10, .yuv422p12],
        [.unspecified, .left, .center, .topLeft, .bottom] as [ColorDescription.ChromaLocation])
    func chromaIsEnlargedFromWhereItIs(_ format: PixelFormat, _ location: ColorDescription.ChromaLocation) {
        for size in [(41, 23), (42, 24)] { expectSlopes(format, location, width: size.0, height: size.1) }
    }

    private func expectSlopes(
        _ format: PixelFormat, _ location: ColorDescription.ChromaLocation, width: Int, height: Int
    ) {
        let layout = format.planes[1]
        let peak = Float((1 << format.bitDepth) - 1)
        // The middles of samples, in pixels from the middle of the first one.
        let isLeft = [.unspecified, .left, .topLeft].contains(location)
        func column(_ x: Int) -> Float { layout.horizontalShift == 0 ? Float(x) : Float(2 * x) + (isLeft ? 0 : 0.5) }
        func row(_ y: Int) -> Float {
            layout.verticalShift == 0
                ? Float(y) : Float(2 * y) + (location == .topLeft ? 0 : location == .bottom ? 1 : 0.5)
        }
        let buffer = PixelBuffer.make(format, width: width, height: height) { plane, component, x, y in
            switch plane + component {
            case 0: 3 * x + y
            case 1: Int((30 + 4 * column(x) + 2 * row(y)).rounded())
            default: Int((220 - 2 * column(x) - 4 * row(y)).rounded())
            }
        }
        let frame = VideoFrame(
            pixelBuffer: buffer, color: ColorDescription(chromaLocation: location))
        for columns in [0..<width, 7..<12, 8..<9] {
            for y in [0, 1, 10, 11, height - 1] {
                let found = read(frame, y, columns: columns)
                #expect(near(found.luma, columns.map { Float(3 * $0 + y) / peak }, 1e-6))
                // Beyond the outermost samples they are repeated.
                let size = format.planeSize(1, width: width, height: height)
                let down = min(max(Float(y), row(0)), row(size.height - 1))
                for (place, x) in columns.enumerated() {
                    let across = min(max(Float(x), column(0)), column(size.width - 1))
                    let (blue, red) = (30 + 4 * across + 2 * down, 220 - 2 * across - 4 * down)
                    #expect(abs(found.blue[place] * peak - blue) < 0.51, "\(format) \(location) \(x) \(y)")
                    #expect(abs(found.red[place] * peak - red) < 0.51, "\(format) \(location) \(x) \(y)")
                }
            }
        }
    }

    @Test(arguments: [PixelFormat.rgb24, .bgra])
    func chromaOfRGBIsWhatIsMoreThanGreen(_ format: PixelFormat) {
        let buffer = PixelBuffer.make(format, width: 5, height: 2) { _, component, x, _ in
            switch format.redGreenBlue.firstIndex(of: component) {
            case 0: 10 * x
            case 1: 100
            case 2: 255
            default: 7
            }
        }
        let found = read(VideoFrame(pixelBuffer: buffer), 1, columns: 1..<4)
        #expect(near(found.luma, [100, 100, 100].map { $0 / 255 }, 1e-6))
        #expect(near(found.blue, [77.5, 77.5, 77.5].map { $0 / 255 }, 1e-6))
        #expect(near(found.red, [-45, -40, -35].map { $0 / 255 }, 1e-6))
    }

    @Test func grayHasNoChroma() {
        let buffer = PixelBuffer.make(.gray10, width: 3, height: 1) { _, _, x, _ in 500 + x }
        let found = read(VideoFrame(pixelBuffer: buffer), 0, columns: 0..<3)
        #expect(near(found.luma, [500, 501, 502].map { $0 / 1023 }, 1e-6))
        #expect(found.blue == [0, 0, 0] && found.red == [0, 0, 0])
    }

    // The small guide that a refiner is fitted to, and the one at full size.
    @Test(arguments: [PixelFormat.yuv444p, .rgba, .gray8, .yuv444p10])
    func theSmallGuideHasTheSameColours(_ format: PixelFormat) {
        var noise = Noise(state: 3)
        let peak = (1 << format.bitDepth) - 1
        let buffer = PixelBuffer.make(format, width: 6, height: 4) { _, _, _, _ in
            Int.random(in: 0...peak, using: &noise)
        }
        let frame = VideoFrame(pixelBuffer: buffer)
        let sampler = FrameSampler()
        var picture = RGBMap(width: 6, height: 4)
        sampler.sample(frame, source: Rectangle(x: 0, y: 0, width: 6, height: 4), into: &picture)
        var components: [ScalarMap] = []
        sampler.components(of: frame, width: 6, height: 4, into: &components)
        ColorGuideMap.with(components, format.colorModel) { guide in
            for y in 0..<4 {
                let row = read(frame, y, columns: 0..<6)
                for x in 0..<6 {
                    let color = guide[6 * y + x]
                    #expect(near([color[0], color[1], color[2]], [row.luma[x], row.blue[x], row.red[x]], 1e-5))
                    #expect(color[3] == 1)
                }
            }
        }
    }
}
