import Testing

@testable import Imaging

extension TransferFunction {
    /// Of neutral colours.
    fileprivate func light(of signal: Float) -> Float { light(of: SIMD3(repeating: signal)).x }
    fileprivate func signal(of light: Float) -> Float { signal(of: SIMD3(repeating: light)).x }
}

struct ColorMappingTests {
    private static let pq = ColorDescription(
        matrix: .bt2020NonConstantLuminance, range: .limited, primaries: 9, transfer: 16)
    private static let hlg = ColorDescription(
        matrix: .bt2020NonConstantLuminance, range: .limited, primaries: 9, transfer: 18)
    private static let displayP3 = ColorDescription(matrix: .bt709, range: .full, primaries: 12, transfer: 13)
    private static let hd = ColorDescription(matrix: .bt709, range: .limited, primaries: 1, transfer: 1)
    private static let white = RGBColor(red: 1, green: 1, blue: 1)

    /// ITU-R BT.2408, table 1: reference white is 58 % of PQ and 75 % of HLG; ST 2084 itself for the other levels.
    @Test func referenceLevels() {
        let pq = TransferFunction.perceptualQuantizer
        let hlg = TransferFunction.hybridLogGamma
        #expect(abs(pq.signal(of: 1) - 0.5807) < 0.0001)
        #expect(abs(hlg.signal(of: 1) - 0.75) < 0.0005)
        #expect(abs(pq.signal(of: 100 / 203) - 0.5081) < 0.0001)
        #expect(abs(pq.signal(of: 1000 / 203) - 0.7518) < 0.0001)
        #expect(abs(pq.light(of: 1) - 10000 / 203) < 0.001)
        #expect(abs(hlg.light(of: 1) - 1000 / 203) < 0.001)
        // ARIB STD-B67: half the signal is a twelfth of the scene's light.
        #expect(abs(hlg.decoded(0.5) - 1 / 12) < 0.000001)
        #expect(abs(TransferFunction.standard.light(of: 0.5) - 0.21404) < 0.00001)
        for transfer in TransferFunction.allCases {
            #expect(transfer.light(of: 0) == 0)
            #expect(transfer.signal(of: 0) == 0)
            #expect(abs(transfer.signal(of: 100) - 1) < 0.000001)
        }
    }

    @Test(arguments: TransferFunction.allCases)
    func signalComesBackFromItsLight(_ transfer: TransferFunction) {
        for step in 0...1000 {
            let signal = Float(step) / 1000
            #expect(abs(transfer.signal(of: transfer.light(of: signal)) - signal) < 0.0005, "\(signal)")
        }
        let color = SIMD3<Float>(0.9, 0.3, 0.6)
        let back = transfer.signal(of: transfer.light(of: color)) - color
        #expect(max(back.max(), -back.min()) < 0.0005)
    }

    @Test func codePointsOfH273() {
        #expect(TransferFunction(codePoint: 16) == .perceptualQuantizer)
        #expect(TransferFunction(codePoint: 18) == .hybridLogGamma)
        for code in [0, 1, 2, 6, 7, 13, 14, 15] as [UInt8] {
            #expect(TransferFunction(codePoint: code) == .standard)
        }
        #expect(ColorPrimaries(codePoint: 9) == .bt2020)
        #expect(ColorPrimaries(codePoint: 11) == .p3)
        #expect(ColorPrimaries(codePoint: 12) == .p3)
        for code in [0, 1, 2, 5, 6, 7, 22] as [UInt8] { #expect(ColorPrimaries(codePoint: code) == .bt709) }
    }

    /// ITU-R BT.2087, equation 4.
    @Test func primariesAreMixedOfThoseOfBT2020() {
        func near(_ color: SIMD3<Float>, _ expected: SIMD3<Float>) -> Bool {
            let difference = ColorPrimaries.bt709.convert(color, to: .bt2020) - expected
            return max(difference.max(), -difference.min()) < 0.0001
        }
        #expect(near(SIMD3(1, 0, 0), SIMD3(0.6274, 0.0691, 0.0164)))
        #expect(near(SIMD3(0, 1, 0), SIMD3(0.3293, 0.9195, 0.0880)))
        #expect(near(SIMD3(0, 0, 1), SIMD3(0.0433, 0.0114, 0.8956)))
        #expect(near(SIMD3(1, 1, 1), SIMD3(1, 1, 1)))
    }

    @Test(arguments: ColorPrimaries.allCases, ColorPrimaries.allCases)
    func primariesComeBack(_ source: ColorPrimaries, _ target: ColorPrimaries) {
        let color = SIMD3<Float>(0.2, 0.7, 0.4)
        let back = target.convert(source.convert(color, to: target), to: source) - color
        #expect(max(back.max(), -back.min()) < 0.00001)
    }

    @Test func standardVideoShowsAColourAsItIs() {
        let color = RGBColor(red: 0.123, green: 0.456, blue: 0.789)
        for (primaries, transfer) in [(1, 1), (2, 2), (6, 6), (5, 5), (1, 13), (2, 14)] as [(UInt8, UInt8)] {
            let video = ColorDescription(primaries: primaries, transfer: transfer)
            #expect(video.placing(color) == color)
            #expect(ColorMapping(from: .sRGB, to: video).isIdentity)
        }
    }

    @Test func whiteIsPutAtReferenceWhiteAndBlackIsBlack() {
        let black = RGBColor(red: 0, green: 0, blue: 0)
        for (video, level) in [(Self.pq, 0.5807), (Self.hlg, 0.75), (Self.displayP3, 1)] as [(ColorDescription, Float)]
        {
            let color = video.placing(Self.white)
            for component in [color.red, color.green, color.blue] { #expect(abs(component - level) < 0.001) }
            #expect(video.placing(black) == black)
        }
    }

    @Test func redKeepsItsLookInWiderPrimaries() {
        // Display P3's coordinates of sRGB's red, as CSS Color 4 gives them.
        let red = Self.displayP3.placing(RGBColor(red: 1, green: 0, blue: 0))
        #expect(abs(red.red - 0.91749) < 0.0005)
        #expect(abs(red.green - 0.20029) < 0.0005)
        #expect(abs(red.blue - 0.13856) < 0.0005)
    }

    @Test func highlightsAreRolledOff() {
        let mapping = ColorMapping(from: Self.pq, to: Self.hd)
        var last: Float = -1
        for step in 0...200 {
            let level = Float(step) / 200
            let gray = mapping.map(RGBColor(red: level, green: level, blue: level))
            #expect(gray.red >= last && gray.red <= 1)
            #expect(max(abs(gray.red - gray.green), abs(gray.red - gray.blue)) < 0.001)
            last = gray.red
        }
        #expect(last > 0.999999)
        // Reference white keeps room above it; what lies below the knee stays as it is.
        let white = mapping.map(RGBColor(red: 0.5807, green: 0.5807, blue: 0.5807))
        #expect(white.red > 0.92 && white.red < 0.96)
        let middle = TransferFunction.perceptualQuantizer.signal(of: 0.2)
        #expect(
            abs(
                mapping.map(RGBColor(red: middle, green: middle, blue: middle)).red
                    - TransferFunction.standard.signal(of: 0.2)) < 0.0005)
        let shoulder = HighlightShoulder()
        #expect(shoulder.gain(of: shoulder.knee) == 1)
        #expect(abs(shoulder.gain(of: shoulder.peak) * shoulder.peak - 1) < 0.00001)
        #expect(abs(shoulder.gain(of: 40) * 40 - 1) < 0.00001)
    }

    @Test func hueOfABrightColourStays() {
        let light = SIMD3<Float>(4, 1, 0.5)
        let signal = TransferFunction.perceptualQuantizer.signal(of: light)
        let source = ColorDescription(primaries: 1, transfer: 16)
        let color = ColorMapping(from: source, to: Self.hd).map(
            RGBColor(red: signal.x, green: signal.y, blue: signal.z))
        let shown = TransferFunction.standard.light(of: SIMD3(color.red, color.green, color.blue))
        #expect(abs(shown.y / shown.x - 0.25) < 0.002)
        #expect(abs(shown.z / shown.x - 0.125) < 0.002)
    }

    /// The tables against the formulas, for every pair of tags, over a cube of colours.
    @Test(arguments: [pq, hlg, displayP3, hd], [pq, hlg, displayP3, hd])
    func picturesAreMappedLikeColours(_ source: ColorDescription, _ target: ColorDescription) {
        let levels: [Float] = [0, 0.05, 0.2, 0.4, 0.5807, 0.75, 0.9, 1]
        let colors = levels.flatMap { r in
            levels.flatMap { g in levels.map { RGBColor(red: r, green: g, blue: $0) } }
        }
        let input = ColorConversion(format: .yuv444p12, color: source, width: 64, height: 8)
        let picture = PixelBuffer.make(.yuv444p12, width: 64, height: 8) { plane, _, x, y in
            let color = colors[64 * y + x]
            return Int(input.codeValues(red: color.red, green: color.green, blue: color.blue)[plane])
        }
        var target12 = MutablePixelBuffer(format: .yuv444p12, width: 64, height: 8)
        ColorMapper(from: source, to: target, width: 64, height: 8).map(picture, into: &target12)
        let found = target12.publish()

        let mapping = ColorMapping(from: source, to: target)
        let output = ColorConversion(format: .yuv444p12, color: target, width: 64, height: 8)
        func rgb(_ picture: PixelBuffer, _ conversion: ColorConversion, _ x: Int, _ y: Int) -> [Float] {
            let values = picture.withPlanes { planes in planes.map { Float($0.row(y, as: UInt16.self)[x]) } }
            return zip(conversion.toRGB, conversion.toRGBOffset).map { row, offset in
                row[0] * values[0] + row[1] * values[1] + row[2] * values[2] + offset
            }
        }
        for y in 0..<8 {
            for x in 0..<64 {
                // What twelve bits hold of the colour, so that the tables alone are looked at.
                let stored = rgb(picture, input, x, y).map { (min(max(0, $0), 1) * 4095).rounded() / 4095 }
                let exact = mapping.map(RGBColor(red: stored[0], green: stored[1], blue: stored[2]))
                let mapped = rgb(found, output, x, y)
                for (a, b) in zip(mapped, [exact.red, exact.green, exact.blue]) {
                    #expect(abs(a - b) * 4095 < 4, "\(colors[64 * y + x])")
                }
            }
        }
    }
}
