import Glibc
import Imaging
import Testing

@testable import Compositing

/// Backgrounds that are drawn anew: nothing of the people is in them, and each look is what it says.
struct FilteredBackgroundTests {
    /// A person in the middle of a picture of one colour, with a soft edge.
    private func person(_ width: Int, _ height: Int) -> PixelBuffer {
        mask(width: width, height: height) { x, y in
            let distance = hypot(Double(x) - Double(width) / 2, Double(y) - Double(height) / 2)
            return UInt8(min(max((Double(height) / 4 - distance) * 32 + 128, 0), 255))
        }
    }

    @Test(arguments: [PixelFormat.yuv420p, .nv12, .yuv422p])
    func weightsAreThoseOfTheField(_ format: PixelFormat) {
        let pixels = picture(format, width: 16, height: 16) { _, _, _, _ in 90 }
        let combed = mask(width: 16, height: 16) { _, y in y % 2 == 0 ? 255 : 0 }
        var weights = BackgroundWeights()
        weights.update(VideoFrame(pixelBuffer: pixels, isInterlaced: true), mask: combed, prefersLights: false)
        let size = format.planeSize(1, width: 16, height: 16)
        weights.withPlane(format.planes[1], width: size.width, height: size.height) { plane in
            for y in 0..<size.height {
                let row = plane.row(y, as: UInt8.self)
                #expect((0..<size.width).allSatisfy { row[$0] == (y % 2 == 0 ? 0 : 255) }, "\(y)")
            }
        }
    }

    @Test(arguments: PixelFormat.videoFormats)
    func nothingOfThePersonIsInTheBackground(_ format: PixelFormat) {
        let (width, height) = (83, 61)
        let edge = person(width, height).components(of: 0)
        let peak = (1 << format.bitDepth) - 1
        // The room is dark, whatever holds something of the person is as bright as can be.
        let frame = VideoFrame(
            pixelBuffer: picture(format, width: width, height: height) { plane, _, x, y in
                let layout = format.planes[plane]
                func isPerson(_ dx: Int, _ dy: Int) -> Bool {
                    let column = (x << layout.horizontalShift) + dx
                    let row = (y << layout.verticalShift) + dy
                    return edge[min(max(row, 0), height - 1) * width + min(max(column, 0), width - 1)] > 0
                }
                let reach = layout.horizontalShift > 0 ? -1...2 : 0...0
                return reach.contains { dx in reach.contains { isPerson(dx, $0) } } ? peak : peak / 4
            })
        // Chroma's alpha is a mean, and half of it is enough not to count.
        let whole = mask(width: width, height: height) { x, y in
            (-3...3).contains { dx in
                (-3...3).contains { dy in
                    edge[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)] > 0
                }
            } ? 255 : 0
        }
        let looks = [0.4, 5, 17].flatMap { length -> [BackgroundLook] in
            [.blur(x: length, y: length), .bokeh(x: 2 * length, y: 2 * length), .mosaic(x: 2 * length, y: 2 * length)]
        }
        for look in looks {
            let blur = FilteredBackground()
            func check<T: PixelComponent>(_ type: T.Type) {
                blur.prepare(frame.pixelBuffer, like: frame, mask: whole, look: look, as: type)
                for (plane, layout) in format.planes.enumerated() {
                    let size = format.planeSize(plane, width: width, height: height)
                    var row = [T](repeating: 0, count: size.width * layout.componentCount)
                    for y in 0..<size.height {
                        row.withUnsafeMutableBufferPointer {
                            blur.row(y, plane: plane, peak: T(peak), into: $0.baseAddress!)
                        }
                        #expect(row.allSatisfy { abs(Int($0) - peak / 4) <= 1 + peak / 2000 })
                    }
                }
            }
            if format.bytesPerComponent == 1 { check(UInt8.self) } else { check(UInt16.self) }
        }
    }

    @Test(arguments: [
        BackgroundLook.mosaic(x: 300, y: 300), .mosaic(x: 100, y: 600), .blur(x: 90, y: 90), .bokeh(x: 260, y: 260),
    ])
    func largeCellsHoldDeepSamples(_ look: BackgroundLook) {
        let (width, height, value) = (320, 600, 60_000)
        let format = PixelFormat.gray16
        let frame = VideoFrame(pixelBuffer: picture(format, width: width, height: height) { _, _, _, _ in value })
        let nobody = mask(width: width, height: height) { _, _ in 0 }
        let background = FilteredBackground()
        background.prepare(frame.pixelBuffer, like: frame, mask: nobody, look: look, as: UInt16.self)
        var row = [UInt16](repeating: 0, count: width)
        for y in stride(from: 0, to: height, by: 50) {
            row.withUnsafeMutableBufferPointer { background.row(y, plane: 0, peak: 65535, into: $0.baseAddress!) }
            #expect(row.allSatisfy { abs(Int($0) - value) <= 30 }, "\(y): \(row[0])")
        }
    }

    @Test(arguments: [10.0, 60])
    func whereNothingIsBehindThePeopleTheirColoursAre(_ radius: Double) {
        let format = PixelFormat.yuv420p
        let frame = VideoFrame(
            pixelBuffer: picture(format, width: 40, height: 30) { plane, _, _, _ in plane == 0 ? 180 : 128 })
        let result = Compositor().composite(
            frame, mask: mask(width: 40, height: 30) { _, _ in 200 }, over: .blur(radius: radius))
        #expect(result.pixelBuffer.components(of: 0).allSatisfy { abs($0 - 180) <= 1 })
        #expect(result.pixelBuffer.components(of: 1).allSatisfy { abs($0 - 128) <= 1 })
    }

    @Test func aPersonIsExactlyTheFrame() {
        let frame = VideoFrame(pixelBuffer: noise(.yuv420p, width: 33, height: 21))
        let result = Compositor().composite(
            frame, mask: mask(width: 33, height: 21) { _, _ in 255 }, over: .blur(radius: 15))
        #expect(result.pixelBuffer.components() == frame.pixelBuffer.components())
    }

    @Test(arguments: [30.0, 60, 120])
    func anEdgeBecomesAsSoftAsAGaussianMakesIt(_ radius: Double) {
        // 240 rows are a third of the height that a radius is told for.
        let (width, height) = (320, 240)
        let frame = VideoFrame(
            pixelBuffer: picture(.gray8, width: width, height: height) { _, _, x, _ in x < width / 2 ? 40 : 200 })
        let result = Compositor().composite(
            frame, mask: mask(width: width, height: height) { _, _ in 0 }, over: .blur(radius: radius))
        let row = Array(result.pixelBuffer.components(of: 0)[120 * width..<121 * width])
        let deviation = radius / 3
        for x in 0..<width where abs(Double(x) - 160) < 2 * deviation {
            let expected = 120 + 80 * erf((Double(x) + 0.5 - 160) / (deviation * 2.0.squareRoot()))
            #expect(abs(Double(row[x]) - expected) < 8, "\(x): \(row[x]) \(expected)")
        }
        #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 }, "an edge has no second one")
    }

    @Test(arguments: [1, 1.9, 2.5, 4, 9.7])
    func threeBoxesHaveTheGaussiansVariance(_ deviation: Double) {
        let radii = GaussianSpread.radii(deviation)
        #expect(radii.count == 3)
        let variance = radii.map { Double((2 * $0 + 1) * (2 * $0 + 1) - 1) / 12 }.reduce(0, +)
        #expect(abs(variance.squareRoot() - deviation) < 0.35)
    }

    @Test func aFrameFullOfPeopleGivesSomething() {
        let frame = VideoFrame(pixelBuffer: noise(.nv12, width: 16, height: 16))
        let blur = FilteredBackground()
        blur.prepare(
            frame.pixelBuffer, like: frame, mask: mask(width: 16, height: 16) { _, _ in 255 }, look: .blur(x: 3, y: 3),
            as: UInt8.self)
        var row = [UInt8](repeating: 1, count: 16)
        row.withUnsafeMutableBufferPointer { blur.row(3, plane: 0, peak: 255, into: $0.baseAddress!) }
        #expect(row.allSatisfy { (60...195).contains($0) }, "about the mean of the noise: \(row)")
    }

    @Test func aPointOfLightBecomesADisc() {
        let (width, height) = (96, 72)
        let frame = VideoFrame(
            pixelBuffer: picture(.gray8, width: width, height: height) { _, _, x, y in
                (x, y) == (48, 36) ? 255 : 20
            })
        let bokeh = FilteredBackground()
        bokeh.prepare(
            frame.pixelBuffer, like: frame, mask: mask(width: width, height: height) { _, _ in 0 },
            look: .bokeh(x: 7, y: 7), as: UInt8.self)
        var row = [UInt8](repeating: 0, count: width)
        for y in 0..<height {
            row.withUnsafeMutableBufferPointer { bokeh.row(y, plane: 0, peak: 255, into: $0.baseAddress!) }
            for x in 0..<width {
                let distance = hypot(Double(x - 48), Double(y - 36))
                if distance < 5.5 { #expect(row[x] > 50, "\(x) \(y)") }
                if distance > 8.5 { #expect(row[x] == 20, "\(x) \(y)") }
            }
        }
    }

    @Test(arguments: [(3.0, 3.0), (2.5, 5.9), (0.7, 1)])
    func aDiscIsTheSumOfItsRows(_ radius: (Double, Double)) {
        var map = ScalarMap(width: 13, height: 9)
        for i in map.values.indices { map.values[i] = Float((i * 7919) % 101) }
        let before = map
        var disc = DiscSpread()
        disc.apply(&map, radius: (radius.0, radius.1))
        for y in 0..<9 {
            for x in 0..<13 {
                var sum: Float = 0
                for row in -Int(radius.1)...Int(radius.1) where 0..<9 ~= y + row {
                    let height = Double(row) / radius.1
                    let half = Int(radius.0 * max(1 - height * height, 0).squareRoot())
                    for column in -half...half where 0..<13 ~= x + column {
                        sum += before.values[(y + row) * 13 + x + column]
                    }
                }
                #expect(abs(map.values[y * 13 + x] - sum) < 0.01)
            }
        }
    }

    @Test(arguments: [(4.0, 4.0), (2.5, 7), (9, 1.6)])
    func aBlurHasADeviationForEachAxis(_ deviation: (across: Double, down: Double)) {
        let side = 101
        var map = ScalarMap(width: side, height: side)
        map.values[side / 2 * side + side / 2] = 1
        var spread = GaussianSpread()
        spread.apply(&map, deviation: deviation)
        var (across, down) = (0.0, 0.0)
        for (place, value) in map.values.enumerated() {
            let (x, y) = (Double(place % side - side / 2), Double(place / side - side / 2))
            across += Double(value) * x * x
            down += Double(value) * y * y
        }
        #expect(abs(across.squareRoot() - deviation.across) < 0.35)
        #expect(abs(down.squareRoot() - deviation.down) < 0.35)
    }

    @Test(arguments: [1.0, 2.5, 4.5, 6.75, 11.2])
    func aDiscIsAsWideAsHigh(radius: Double) {
        var map = ScalarMap(width: 31, height: 31)
        map.values[15 * 31 + 15] = 1
        var disc = DiscSpread()
        disc.apply(&map, radius: (radius, radius))
        let row = (0..<31).map { map.values[15 * 31 + $0] }
        #expect(row == (0..<31).map { map.values[$0 * 31 + 15] })
        #expect(row.count { $0 == 1 } == 2 * Int(radius) + 1)
    }

    // What is left of the background here is too little to count for any chroma sample.
    @Test func nextToNoBackgroundIsNotGreen() throws {
        let frame = VideoFrame(
            pixelBuffer: picture(.yuv420p, width: 16, height: 16) { p, _, _, _ in p == 0 ? 90 : 128 })
        let people = mask(width: 16, height: 16) { x, y in x == 1 && y == 0 ? 127 : 130 }
        let result = Compositor().composite(frame, mask: people, over: .blur(radius: 100))
        #expect(result.pixelBuffer.components(of: 1).allSatisfy { abs(Int($0) - 128) <= 1 })
        #expect(result.pixelBuffer.components(of: 2).allSatisfy { abs(Int($0) - 128) <= 1 })
    }

    @Test func aSquareOfAMosaicIsTheMeanOfItsPixels() {
        let (width, height, side) = (24, 16, 8)
        let frame = VideoFrame(pixelBuffer: noise(.gray8, width: width, height: height))
        let mosaic = FilteredBackground()
        mosaic.prepare(
            frame.pixelBuffer, like: frame, mask: nil, look: .mosaic(x: Double(side), y: Double(side)), as: UInt8.self)
        let source = frame.pixelBuffer.components(of: 0)
        var row = [UInt8](repeating: 0, count: width)
        for y in 0..<height {
            row.withUnsafeMutableBufferPointer { mosaic.row(y, plane: 0, peak: 255, into: $0.baseAddress!) }
            for x in 0..<width {
                let (left, top) = (x / side * side, y / side * side)
                let square = (0..<side * side).map { source[(top + $0 / side) * width + left + $0 % side] }
                let mean = Double(square.reduce(0, +)) / Double(square.count)
                #expect(abs(Double(row[x]) - mean) <= 0.51)
            }
        }
    }

    /// What a background of the share `signal` of the signal is beside the people.
    private func halo(_ signal: Double, transfer: UInt8) -> Double {
        let frame = VideoFrame(
            pixelBuffer: picture(.yuv420p10, width: 160, height: 120) { plane, _, _, _ in
                plane == 0 ? Int((signal * 1023).rounded()) : 512
            }, color: ColorDescription(matrix: .bt709, range: .full, primaries: 9, transfer: transfer))
        let person = mask(width: 160, height: 120) { x, _ in x < 60 ? 255 : 0 }
        let result = Compositor().composite(frame, mask: person, over: .bokeh(radius: 30)).pixelBuffer
        return Double(result.components(of: 0)[60 * 160 + 61]) / 1023
    }

    // Reference white is 58 % of PQ's signal and 75 % of HLG's (BT.2408); what shines already stays what it is.
    @Test(arguments: [(UInt8(16), 0.581), (18, 0.75)])
    func theHaloAroundPeopleMakesNoLightsInHDR(_ transfer: UInt8, _ white: Double) {
        #expect(abs(halo(white - 0.002, transfer: transfer) - white) < 0.006)
        #expect(abs(halo(0.85, transfer: transfer) - 0.85) < 0.002)
    }

    // ST 2084, BT.2100 and a display's gamma of 2.2, each at a sixteenth of reference white.
    @Test func theHaloIsAsBrightInEveryTransfer() {
        func light(_ signal: Double, transfer: UInt8) -> Double {
            switch transfer {
            case 16:
                let root = pow(signal, 1 / 78.84375)
                return pow(max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125)
            case 18: return signal * signal / 3
            default: return pow(signal, 2.2)
            }
        }
        func gain(_ signal: Double, transfer: UInt8) -> Double {
            light(halo(signal, transfer: transfer), transfer: transfer) / light(signal, transfer: transfer)
        }
        let usual = gain(0.28, transfer: 1)
        #expect(usual > 1.2)
        #expect(abs(gain(0.33, transfer: 16) / usual - 1) < 0.15)
        #expect(abs(gain(0.19, transfer: 18) / usual - 1) < 0.15)
    }

    // Limited range: white is 235.
    @Test func theHaloAroundPeopleIsNoBrighterThanWhite() {
        let color = ColorDescription(matrix: .bt709, range: .limited)
        let frame = VideoFrame(
            pixelBuffer: picture(.yuv420p, width: 160, height: 120) { plane, _, _, _ in plane == 0 ? 230 : 128 },
            color: color)
        let person = mask(width: 160, height: 120) { x, _ in x < 60 ? 255 : 0 }
        let result = Compositor().composite(frame, mask: person, over: .bokeh(radius: 30)).pixelBuffer
        #expect(result.components(of: 0).max() == 235)
    }
}
