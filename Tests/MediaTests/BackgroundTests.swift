import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// What is put behind people has the form of the frame and is seen as it should be.
@Suite struct BackgroundTests {
    private let scratch = TemporaryFolder()
    private static let hd = ColorDescription(matrix: .bt709, range: .limited, primaries: 1, transfer: 1)

    // MARK: Geometry

    /// Where (u, v) of the shown frame lies in the upright source, both as unit squares.
    private func source(
        _ u: Double, _ v: Double, fit: BackgroundReader.Fit, source: (Double, Double), stage: (Double, Double)
    ) -> (x: Double, y: Double) {
        let ratios = [stage.0 / source.0, stage.1 / source.1]
        let scale = fit == .fill ? ratios.max()! : ratios.min()!
        return (0.5 + (u - 0.5) * stage.0 / (source.0 * scale), 0.5 + (v - 0.5) * stage.1 / (source.1 * scale))
    }

    /// Looks at a grid of points; ramps tell where each comes from, and black that nothing does.
    private func check(
        _ picture: PixelBuffer, as frame: VideoFrame, fit: BackgroundReader.Fit, sourceSize: (Double, Double),
        turned: Orientation = .up, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let upright = frame.uprightSize
        let ratio = frame.sampleAspectRatio.value
        let pixel = frame.orientation.swapsAxes ? 1 / ratio : ratio
        let stage = (Double(upright.width) * pixel, Double(upright.height))
        // As wide as two pixels of the frame, and what a lossy picture adds.
        let edge = source(
            0.5 + 2.5 / Double(upright.width), 0.5 + 2.5 / Double(upright.height), fit: fit, source: sourceSize,
            stage: stage)
        let tolerance = max(edge.x, edge.y) - 0.49
        for row in 0..<9 {
            for column in 0..<9 {
                let (u, v) = ((Double(column) + 0.5) / 9, (Double(row) + 0.5) / 9)
                let place = source(u, v, fit: fit, source: sourceSize, stage: stage)
                let found = shown(picture, as: frame, u, v).map(Double.init)
                let distance = max(abs(place.x - 0.5), abs(place.y - 0.5)) - 0.5
                guard abs(distance) > tolerance else { continue }
                if distance > 0 {
                    #expect(found.allSatisfy { abs($0) < 0.02 }, "(\(u), \(v))", sourceLocation: sourceLocation)
                } else {
                    let stored = turned.uprightToStored.apply(place.x, place.y)
                    #expect(abs(found[0] - stored.x) < tolerance, "(\(u), \(v))", sourceLocation: sourceLocation)
                    #expect(abs(found[1] - stored.y) < tolerance, "(\(u), \(v))", sourceLocation: sourceLocation)
                }
            }
        }
    }

    @Test(arguments: [(96, 64), (64, 96), (130, 50), (97, 63)], [BackgroundReader.Fit.fill, .fit])
    func shapeIsKept(size: (Int, Int), fit: BackgroundReader.Fit) throws {
        for (width, height) in [(80, 60), (40, 90), (301, 203)] {
            let path = try scratch.ramps("\(width).pam", width: width, height: height)
            let reader = try BackgroundReader(path: path, fit: fit)
            for format in [PixelFormat.yuv420p, .rgb24] {
                let frame = makeFrame(format, width: size.0, height: size.1)
                let picture = try reader.picture(at: 0, behind: frame)
                #expect(picture.format == format && picture.width == size.0 && picture.height == size.1)
                check(picture, as: frame, fit: fit, sourceSize: (Double(width), Double(height)))
            }
        }
    }

    @Test(arguments: Orientation.allCases, [BackgroundReader.Fit.fill, .fit])
    func pictureIsUprightHoweverTheFrameIsStored(orientation: Orientation, fit: BackgroundReader.Fit) throws {
        let path = try scratch.ramps("in.pam", width: 90, height: 60)
        let reader = try BackgroundReader(path: path, fit: fit)
        for format in [PixelFormat.yuv420p, .yuv422p, .yuv422p10, .nv12, .rgb24, .bgra, .yuv444p12] {
            let frame = makeFrame(format, width: 128, height: 72, orientation: orientation)
            let picture = try reader.picture(at: 0, behind: frame)
            #expect(picture.format == format && picture.width == 128 && picture.height == 72)
            check(picture, as: frame, fit: fit, sourceSize: (90, 60))
        }
    }

    @Test(arguments: [BackgroundReader.Fit.fill, .fit])
    func pixelsThatAreNotSquareCount(fit: BackgroundReader.Fit) throws {
        let square = try scratch.ramps("in.pam", width: 90, height: 60)
        let wide = try scratch.make("wide.png", "-i \(square) -vf setsar=2")
        for (path, width) in [(square, 90.0), (wide, 180.0)] {
            let reader = try BackgroundReader(path: path, fit: fit)
            for orientation in [Orientation.up, .right] {
                let frame = makeFrame(
                    .yuv420p, width: 96, height: 72, pixel: Rational(4, 3), orientation: orientation)
                let picture = try reader.picture(at: 0, behind: frame)
                check(picture, as: frame, fit: fit, sourceSize: (width, 60))
            }
        }
    }

    @Test(arguments: Orientation.allCases, ["jpg", "png", "webp", "tiff"])
    func photoIsTurnedAsItsExifSays(orientation: Orientation, kind: String) throws {
        let ramps = try scratch.ramps("in.pam", width: 96, height: 64)
        let photo = try scratch.make(
            "in.\(kind)",
            "-i \(ramps) " + (kind == "jpg" ? "-pix_fmt yuvj444p -q:v 1" : kind == "webp" ? "-lossless 1" : ""))
        if kind == "tiff" { try Self.tagTIFF(photo, orientation) } else { try Self.tagExif(photo, orientation) }
        #expect(try MediaReader(path: photo).video.orientation == orientation)
        let size = orientation.swapsAxes ? (64.0, 96.0) : (96.0, 64.0)
        for fit in [BackgroundReader.Fit.fill, .fit] {
            let reader = try BackgroundReader(path: photo, fit: fit)
            for stored in Orientation.allCases {
                let frame = makeFrame(.yuv422p, width: 120, height: 80, orientation: stored)
                let picture = try reader.picture(at: 0, behind: frame)
                check(picture, as: frame, fit: fit, sourceSize: size, turned: orientation)
            }
        }
    }

    /// Puts Exif with nothing but the orientation into an image (EXIF 2.32, 4.5.4).
    private static func tagExif(_ path: String, _ orientation: Orientation) throws {
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.rawValue, 0, 0, 0, 0, 0,
            0,
        ]
        let image = try #require(ImageFormat(path: path, settings: .init(), isInputImage: true))
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let tagged = ImageMetadata(exif: Exif(tiff)).inserted(into: bytes, of: image)
        try Data(tagged).write(to: URL(filePath: path))
    }

    /// Puts the orientation into the first directory of a little-endian TIFF file, anew at its end (TIFF 6.0, section 8).
    private static func tagTIFF(_ path: String, _ orientation: Orientation) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        func number(_ place: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        try #require(number(0, 4) == 0x2A_4949)
        let directory = number(4, 4)
        var entries = (0..<number(directory, 2)).map {
            Array(bytes[directory + 2 + 12 * $0..<directory + 14 + 12 * $0])
        }
        entries.append([0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation.rawValue, 0, 0, 0])
        entries.sort { (Int($0[1]) << 8 | Int($0[0])) < (Int($1[1]) << 8 | Int($1[0])) }
        if bytes.count % 2 == 1 { bytes.append(0) }
        bytes.replaceSubrange(4..<8, with: (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) })
        bytes += [UInt8(entries.count), 0] + entries.joined() + [0, 0, 0, 0]
        try Data(bytes).write(to: URL(filePath: path))
    }

    @Test(arguments: Orientation.allCases)
    func tilesBeginAtTheUpperLeftCorner(orientation: Orientation) throws {
        func tile(_ x: Int, _ y: Int) -> [UInt8] { [UInt8(20 * x), UInt8(30 * y), 90] }
        let path = try scratch.draw("in.pam", width: 11, height: 7) { tile($0, $1) }
        let reader = try BackgroundReader(path: path, fit: .tile)
        for format in [PixelFormat.rgb24, .yuv444p] {
            let frame = makeFrame(format, width: 50, height: 32, color: Self.hd, orientation: orientation)
            let picture = try reader.picture(at: 0, behind: frame)
            let (width, height) = frame.uprightSize
            var largest: Float = 0
            for y in 0..<height {
                for x in 0..<width {
                    let (u, v) = ((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
                    let found = shown(picture, as: frame, u, v)
                    for (a, b) in zip(found, tile(x % 11, y % 7)) { largest = max(largest, abs(a * 255 - Float(b))) }
                }
            }
            #expect(largest < 2.5)
        }
    }

    @Test func tileLargerThanTheFrameShowsItsUpperLeftCorner() throws {
        let path = try scratch.draw("in.pam", width: 100, height: 80) { x, y in [UInt8(2 * x), UInt8(3 * y), 0] }
        let picture = try BackgroundReader(path: path, fit: .tile).picture(
            at: 0, behind: makeFrame(.rgb24, width: 40, height: 30))
        #expect(picture.codes(39, 29) == [78, 87, 0])
    }

    @Test func photoThatFillsAFrameOfItsOwnSizeIsNotTouched() throws {
        let path = try scratch.draw("in.pam", width: 61, height: 47) { x, y in
            [UInt8(truncatingIfNeeded: x &* 37), UInt8(truncatingIfNeeded: y &* 59), UInt8(truncatingIfNeeded: x &* y)]
        }
        for fit in BackgroundReader.Fit.allCases {
            let picture = try BackgroundReader(path: path, fit: fit).picture(
                at: 0, behind: makeFrame(.rgb24, width: 61, height: 47))
            for (x, y) in [(0, 0), (60, 0), (13, 40), (60, 46)] {
                #expect(picture.codes(x, y) == [x * 37 & 255, y * 59 & 255, x * y & 255])
            }
        }
    }

    @Test func cutWithoutScalingIsExact() throws {
        let path = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=s=64x48:r=10:d=0.2,format=yuv420p,geq=lum=16+4*Y:cb=100+Y:cr=90 -vf setparams=range=tv -c:v ffv1"
        )
        let reader = try BackgroundReader(path: path)
        for orientation in [Orientation.up, .right] {
            let size = orientation == .up ? (64, 36) : (36, 64)
            let frame = makeFrame(.yuv420p, width: size.0, height: size.1, orientation: orientation)
            let picture = try reader.picture(at: 0, behind: frame)
            for row in 0..<36 {
                // Turned to the right for showing, the first stored column is seen at the top, from right to left.
                let codes = orientation == .up ? picture.codes(5, row) : picture.codes(row, 5)
                #expect(codes == [16 + 4 * (row + 6), 100 + (row + 6) / 2, 90])
            }
        }
    }

    @Test(arguments: [(1, 1), (1, 200), (300, 1), (3, 5)])
    func smallestPicturesFillTheFrame(size: (Int, Int)) throws {
        let path = try scratch.draw("in.pam", width: size.0, height: size.1) { _, _ in [200, 100, 50] }
        for fit in [BackgroundReader.Fit.fill, .tile] {
            for format in [PixelFormat.yuv420p10, .rgb24] {
                let frame = makeFrame(format, width: 37, height: 23, color: format == .rgb24 ? .unspecified : Self.hd)
                let picture = try BackgroundReader(path: path, fit: fit).picture(at: 0, behind: frame)
                for (u, v) in [(0.01, 0.01), (0.99, 0.99), (0.5, 0.5)] {
                    for (a, b) in zip(shown(picture, as: frame, u, v), [200, 100, 50] as [Float]) {
                        #expect(abs(a * 255 - b) < 2)
                    }
                }
            }
        }
    }

    // MARK: Colour

    @Test(arguments: PixelFormat.videoFormats)
    func colourIsExact(format: PixelFormat) throws {
        let colors: [[UInt8]] = [[255, 255, 255], [0, 0, 0], [208, 48, 96], [20, 240, 30], [1, 2, 250]]
        for (index, color) in colors.enumerated() {
            let path = try scratch.draw("\(index).pam", width: 40, height: 30) { _, _ in color }
            let reader = try BackgroundReader(path: path)
            for matrix in [ColorDescription.Matrix.bt709, .smpte170m, .unspecified] {
                for range in [ColorDescription.Range.limited, .full, .unspecified] {
                    let tags = ColorDescription(matrix: matrix, range: range)
                    let frame = makeFrame(format, width: 64, height: 36, color: tags)
                    let expected = ColorConversion(format: format, color: tags, width: 64, height: 36)
                        .codeValues(
                            red: Float(color[0]) / 255, green: Float(color[1]) / 255, blue: Float(color[2]) / 255)
                    let found = try reader.picture(at: 0, behind: frame).codes(31, 17)
                    // Sixteen bits come of twelve.
                    let step = format.bitDepth > 12 ? 32 : format.bitDepth > 10 ? 4 : 1
                    for (a, b) in zip(found, expected) {
                        #expect(abs(a - Int(b)) <= step, "\(color) as \(tags): \(found), not \(expected)")
                    }
                }
            }
        }
    }

    /// A picture of red before blue, halved across or downwards: all pixels' own colour, in the middle of four pixels, or left of
    /// it.
    private func edge(_ kind: String, _ size: (width: Int, height: Int), isAcross: Bool) throws -> String {
        if kind == "mkv" || kind == "alpha" {
            // With alpha it becomes RGB, which the strongest colours would leave.
            let (format, low, high) = kind == "alpha" ? ("yuva420p", 108, 148) : ("yuv420p", 100, 240)
            let (place, half) = isAcross ? ("X", size.width / 4) : ("Y", size.height / 4)
            func chroma(_ red: Int, _ blue: Int) -> String {
                let first = isAcross ? (red + 3 * blue) / 4 : blue
                return "if(lt(\(place)\\,\(half))\\,\(red)\\,if(eq(\(place)\\,\(half))\\,\(first)\\,\(blue)))"
            }
            return try scratch.make(
                "edge.mkv",
                "-f lavfi -i color=s=\(size.width)x\(size.height):r=10:d=0.1,format=\(format),geq=lum=90:cb=\(chroma(low, high)):cr=\(chroma(high, low))\(kind == "alpha" ? ":a=255" : "") -vf setparams=range=tv:colorspace=bt709 -c:v ffv1"
            )
        }
        let drawn = try scratch.draw("edge.pam", width: size.width, height: size.height) { x, y in
            (isAcross ? 2 * x < size.width : 2 * y < size.height) ? [255, 0, 0] : [0, 0, 255]
        }
        return try scratch.make("edge.\(kind)", "-i \(drawn) \(kind == "jpg" ? "-pix_fmt yuvj420p -q:v 1" : "")")
    }

    /// However large a picture is, and wherever its own chroma lies, that of the result lies where the frame's does.
    @Test(arguments: Orientation.allCases)
    func chromaLiesWhereTheFramesDoes(orientation: Orientation) throws {
        let upright = orientation.swapsAxes ? (36, 64) : (64, 36)
        let locations: [ColorDescription.ChromaLocation] = [.unspecified, .left, .center, .topLeft, .bottom]
        for (kind, factor) in [("png", 1), ("png", 3), ("jpg", 1), ("jpg", 2), ("mkv", 1), ("mkv", 2), ("alpha", 2)] {
            for isAcross in [true, false] {
                let path = try edge(kind, (upright.0 * factor, upright.1 * factor), isAcross: isAcross)
                let runsAcross = isAcross != orientation.swapsAxes
                for location in locations {
                    var color = Self.hd
                    color.chromaLocation = location
                    let frame = makeFrame(.yuv420p, width: 64, height: 36, color: color, orientation: orientation)
                    let picture = try BackgroundReader(path: path).picture(at: 0, behind: frame)
                    // Along the edge all are alike.
                    let line = picture.withPlane(1) { plane in
                        (0..<(runsAcross ? 32 : 18)).map {
                            Double(plane.row(runsAcross ? 9 : $0, as: UInt8.self)[runsAcross ? $0 : 16])
                        }
                    }
                    let (first, last) = (line[2], line[line.count - 3])
                    let share = line.map { ($0 - first) / (last - first) }.reduce(0, +)
                    let shift =
                        switch location {
                        case .unspecified, .left: runsAcross ? -0.25 : 0
                        case .topLeft: -0.25
                        case .bottom: runsAcross ? 0 : 0.25
                        default: 0.0
                        }
                    // How many samples show what the last one does: the earlier they lie, the fewer.
                    let expected = Double(line.count) / 2 + shift
                    #expect(
                        abs(share - expected) < 0.06, "\(kind) by \(factor), \(location), across \(isAcross): \(line)")
                }
            }
        }
    }

    @Test func alphaOfAnRGBAFrameIsOpaque() throws {
        let path = try scratch.draw("in.pam", width: 4, height: 4) { _, _ in [9, 8, 7] }
        for fit in BackgroundReader.Fit.allCases {
            for format in [PixelFormat.rgba, .bgra] {
                let picture = try BackgroundReader(path: path, fit: fit).picture(
                    at: 0, behind: makeFrame(format, width: 30, height: 20))
                picture.withPlane(0) { plane in
                    for y in 0..<20 { for x in 0..<30 { #expect(plane.row(y, as: UInt8.self)[4 * x + 3] == 255) } }
                }
            }
        }
    }

    /// From full-range BT.601, as JPEG has it, to limited-range BT.709.
    @Test func matrixAndRangeOfAVideoAreConverted() throws {
        let tags = ColorDescription(matrix: .bt470bg, range: .full)
        let values = ColorConversion(format: .yuv444p, color: tags, width: 40, height: 30)
            .codeValues(red: 0.8, green: 0.3, blue: 0.2)
        let path = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=s=40x30:r=10:d=0.1,format=yuv444p,geq=\(values[0]):\(values[1]):\(values[2]) "
                + "-vf setparams=range=pc:colorspace=bt470bg -c:v libx264 -qp 0")
        let frame = makeFrame(.yuv420p, width: 80, height: 60, color: Self.hd)
        let found = try BackgroundReader(path: path).picture(at: 0, behind: frame).codes(30, 20)
        let expected = ColorConversion(format: .yuv420p, color: Self.hd, width: 80, height: 60)
            .codeValues(red: 0.8, green: 0.3, blue: 0.2)
        for (a, b) in zip(found, expected) { #expect(abs(a - Int(b)) <= 2, "\(found), not \(expected)") }
    }

    @Test(arguments: ["rgba", "rgba64be", "yuva420p", "libvpx", "libvpx-vp9"])
    func transparentPartsAreBlack(format: String) throws {
        let drawn = try scratch.draw("in.pam", width: 48, height: 16) { x, _ in
            x < 16 ? [255, 255, 255, 0] : x < 32 ? [200, 100, 50, 128] : [200, 100, 50, 255]
        }
        let path =
            switch format {
            case "yuva420p": try scratch.make("in.mkv", "-i \(drawn) -pix_fmt yuva420p -c:v ffv1")
            case "libvpx", "libvpx-vp9":
                try scratch.make(
                    "in.webm", "-i \(drawn) -pix_fmt yuva420p -c:v \(format) -crf 4 -b:v 4M -auto-alt-ref 0")
            default: try scratch.make("in.png", "-i \(drawn) -pix_fmt \(format)")
            }
        let frame = makeFrame(.rgb24, width: 48, height: 16)
        let picture = try BackgroundReader(path: path).picture(at: 0, behind: frame)
        let tolerance = format.hasPrefix("rgba") ? 1 : format == "yuva420p" ? 3 : 8
        for (x, expected) in [(8, [0, 0, 0]), (24, [100, 50, 25]), (40, [200, 100, 50])] {
            for (a, b) in zip(picture.codes(x, 8), expected) {
                #expect(abs(a - b) <= tolerance, "\(picture.codes(x, 8)), not \(expected)")
            }
        }
        // Black as the frame has it.
        let limited = try BackgroundReader(path: path).picture(
            at: 0, behind: makeFrame(.yuv420p, width: 48, height: 16, color: Self.hd))
        #expect(abs(limited.codes(4, 8)[0] - 16) <= 1)
    }

    // MARK: HDR

    private static func hdr(_ transfer: UInt8) -> ColorDescription {
        ColorDescription(matrix: .bt2020NonConstantLuminance, range: .limited, primaries: 9, transfer: transfer)
    }

    @Test(arguments: [(16, 0.5807), (18, 0.75)] as [(UInt8, Double)])
    func whiteIsReferenceWhiteOfAnHDRVideo(transfer: UInt8, level: Double) throws {
        let path = try scratch.draw("white.pam", width: 40, height: 40) { _, _ in [255, 255, 255] }
        let frame = makeFrame(.yuv420p10, width: 80, height: 40, color: Self.hdr(transfer))
        let picture = try BackgroundReader(path: path, fit: .fit).picture(at: 0, behind: frame)
        let white = picture.codes(40, 20)
        #expect(abs(white[0] - Int((64 + 876 * level).rounded())) <= 1)
        for chroma in white[1...] { #expect(abs(chroma - 512) <= 1) }
        for x in [2, 77] { #expect(picture.codes(x, 20) == [64, 512, 512]) }
    }

    @Test func colourOfAPictureIsThatOfAColour() throws {
        let path = try scratch.draw("in.pam", width: 16, height: 16) { _, _ in [51, 204, 102] }
        for format in [PixelFormat.yuv420p10, .yuv422p10, .nv12, .rgb24] {
            for orientation in [Orientation.up, .right] {
                for fit in BackgroundReader.Fit.allCases {
                    let frame = makeFrame(
                        format, width: 32, height: 32, color: Self.hdr(16), orientation: orientation)
                    let color = frame.color.placing(RGBColor(red: 0.2, green: 0.8, blue: 0.4))
                    let expected = ColorConversion(format: format, color: frame.color, width: 32, height: 32)
                        .codeValues(red: color.red, green: color.green, blue: color.blue)
                    let found = try BackgroundReader(path: path, fit: fit).picture(at: 0, behind: frame).codes(15, 15)
                    for (a, b) in zip(found, expected) { #expect(abs(a - Int(b)) <= 2, "\(found), not \(expected)") }
                }
            }
        }
    }

    @Test func hdrVideoBehindAnSDRFrameIsRolledOff() throws {
        let path = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=s=32x32:r=10:d=0.1,format=yuv420p10le,geq=573:512:512 "
                + "-vf setparams=range=tv:colorspace=bt2020nc:color_primaries=bt2020:color_trc=smpte2084 -c:v ffv1")
        let frame = makeFrame(.yuv420p, width: 32, height: 32, color: Self.hd)
        let found = try BackgroundReader(path: path).picture(at: 0, behind: frame).codes(15, 15)
        let white = ColorMapping(from: Self.hdr(16), to: Self.hd).map(
            RGBColor(red: 0.581, green: 0.581, blue: 0.581))
        #expect(white.red > 0.9)
        #expect(abs(found[0] - Int((16 + 219 * white.red).rounded())) <= 1)
        for chroma in found[1...] { #expect(abs(chroma - 128) <= 1) }
    }

    @Test func hdrVideoBehindAFrameOfItsKindStaysAsItIs() throws {
        let path = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=s=32x32:r=10:d=0.1,format=yuv420p10le,geq=701:400:600 "
                + "-vf setparams=range=tv:colorspace=bt2020nc:color_primaries=bt2020:color_trc=smpte2084 -c:v ffv1")
        let frame = makeFrame(.yuv420p10, width: 32, height: 32, color: Self.hdr(16))
        #expect(try BackgroundReader(path: path).picture(at: 0, behind: frame).codes(15, 15) == [701, 400, 600])
    }

    // MARK: Memory and errors

    @Test func imageIsFittedOnceForEachFormOfFrames() throws {
        let path = try scratch.ramps("in.pam", width: 30, height: 20)
        let reader = try BackgroundReader(path: path)
        #expect(reader.isStill)
        let frame = makeFrame(.yuv420p, width: 64, height: 48, color: Self.hd)
        let first = try reader.picture(at: 0, behind: frame)
        #expect(try reader.picture(at: 17.5, behind: frame).address == first.address)
        #expect(try reader.picture(at: -3, behind: frame).address == first.address)
        var other = frame
        other.color.range = .full
        let changed = try reader.picture(at: 0, behind: other)
        #expect(changed.address != first.address)
        other.sampleAspectRatio = Rational(2, 1)
        #expect(try reader.picture(at: 0, behind: other).address != changed.address)
    }

    /// What some phones put behind a photo, a gain map or a thumbnail, is a JPEG of its own.
    @Test func secondPictureWithinAPhotoIsNoPartOfIt() throws {
        let ramps = try scratch.ramps("in.pam", width: 96, height: 64)
        let photo = try scratch.make("in.jpg", "-i \(ramps)")
        let gainMap = try scratch.make("map.jpg", "-f lavfi -i color=white:s=24x16 -frames:v 1")
        let both = try Data(contentsOf: URL(filePath: photo)) + Data(contentsOf: URL(filePath: gainMap))
        try both.write(to: URL(filePath: photo))
        let reader = try BackgroundReader(path: photo)
        #expect(reader.isStill)
        let frame = makeFrame(.rgb24, width: 96, height: 64)
        #expect(try reader.picture(at: 0.05, behind: frame).codes(4, 4)[0] < 60)
    }

    @Test func errorsNameTheBackground() throws {
        func description(_ path: String) throws -> String {
            try mediaError { _ = try BackgroundReader(path: path) }.description.replacing(
                scratch.url.path + "/", with: "")
        }
        #expect(
            try description(scratch.path("none.png"))
                == "can't read the background 'none.png': no such file or directory")
        try Data("words\n".utf8).write(to: scratch.url("words.txt"))
        #expect(
            try description(scratch.path("words.txt"))
                == "can't read the background 'words.txt': it is no video that FFmpeg knows, or it is damaged "
                + "(invalid data found when processing input)")
        try FileManager.default.createDirectory(at: scratch.url("folder"), withIntermediateDirectories: false)
        #expect(
            try description(scratch.path("folder"))
                == "can't read the background 'folder': it is a folder; name a picture or a video file")
        let sound = try scratch.make("sound.wav", "-f lavfi -i sine=d=0.1")
        #expect(
            try description(sound)
                == "can't read the background 'sound.wav': it has no video stream (only stream 0 (audio, pcm_s16le))")
        #expect(
            try description("/dev/video97")
                == "can't read the background '/dev/video97': a camera can't be looped; name a picture or a video file")
        let picture = try scratch.make("large.png", "-f lavfi -i testsrc2=s=64x64 -frames:v 1")
        let limits = InputLimits(pixelCount: 4095)
        #expect(
            try mediaError { _ = try BackgroundReader(path: picture, limits: limits) }.description
                == "can't read the background '\(picture)': a picture of 64x64 has more than 4095 pixels, "
                + "which is the limit; pass --max-pixels 4096 if that is what it should be")
        #expect(try mediaError { _ = try BackgroundReader(path: sound) }.kind == .badData)
        #expect(try mediaError { _ = try BackgroundReader(path: scratch.path("none")) }.kind == .noInput)
    }

    @Test func pictureWithoutAFrameIsAnError() throws {
        let path = try scratch.make("in.png", "-f lavfi -i testsrc2=s=64x64 -frames:v 1")
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes.replaceSubrange(60..<bytes.count, with: [UInt8](repeating: 0, count: bytes.count - 60))
        try bytes.write(to: URL(filePath: path))
        let error = try mediaError { _ = try BackgroundReader(path: path) }
        #expect(error.operation == "read the background")
        #expect(error.kind == .badData)
    }
}
