import Testing

@testable import Imaging

struct FrameScalerTests {
    private func components(_ buffer: PixelBuffer, _ plane: Int) -> [Int] {
        let count = buffer.format.planes[plane].componentCount
        return buffer.withPlane(plane) { plane in
            (0..<plane.height).flatMap { y in
                (0..<plane.width * count).map { x in
                    buffer.format.bytesPerComponent == 1
                        ? Int(plane.row(y, as: UInt8.self)[x]) : Int(plane.row(y, as: UInt16.self)[x])
                }
            }
        }
    }

    @Test(arguments: PixelFormat.videoFormats + PixelFormat.alphaFormats)
    func wholePixelsAreCopiedExactly(_ format: PixelFormat) {
        var noise = Noise(state: 5)
        let source = PixelBuffer.make(format, width: 24, height: 18) { _, _, _, _ in
            Int.random(in: 0..<1 << format.bitDepth, using: &noise)
        }
        let cut = FrameScaler().cut(
            Rectangle(x: 6, y: 4, width: 12, height: 10), of: VideoFrame(pixelBuffer: source), width: 12, height: 10)
        for (index, layout) in format.planes.enumerated() {
            let (h, v, count) = (layout.horizontalShift, layout.verticalShift, layout.componentCount)
            let (from, to) = (components(source, index), components(cut.pixelBuffer, index))
            let sourceWidth = format.planeSize(index, width: 24, height: 18).width * count
            let size = format.planeSize(index, width: 12, height: 10)
            for y in 0..<size.height {
                for x in 0..<size.width * count {
                    #expect(to[y * size.width * count + x] == from[(y + 4 >> v) * sourceWidth + (6 >> h) * count + x])
                }
            }
        }
    }

    // A cubic convolution gives straight lines back, wherever it is asked.
    @Test(
        arguments: [PixelFormat.yuv420p10, .nv12, .yuv422p, .rgb24], [ColorDescription.ChromaLocation.left, .center])
    func aRampStaysARampInEveryPlane(_ format: PixelFormat, _ location: ColorDescription.ChromaLocation) {
        let (width, height) = (64, 48)
        // The value at a luma column's middle is 2 * column + 1, and a chroma sample lies on a column or between two.
        func place(_ layout: PixelFormat.PlaneLayout, _ x: Int) -> Double {
            layout.horizontalShift == 0 ? Double(x) + 0.5 : Double(2 * x) + (location == .left ? 0.5 : 1)
        }
        let scale = Double(1 << (format.bitDepth - 8))
        let source = PixelBuffer.make(format, width: width, height: height) { plane, _, x, _ in
            Int((2 * place(format.planes[plane], x) + 20) * scale)
        }
        let region = Rectangle(x: 10.3, y: 7.9, width: 32, height: 24)
        let frame = VideoFrame(pixelBuffer: source, color: ColorDescription(chromaLocation: location))
        let cut = FrameScaler().cut(region, of: frame, width: 64, height: 48)
        for (index, layout) in format.planes.enumerated() {
            let size = format.planeSize(index, width: 64, height: 48)
            let values = components(cut.pixelBuffer, index)
            for x in 0..<size.width {
                let expected = (2 * (10.3 + place(layout, x) * 0.5) + 20) * scale
                let value = Double(values[(size.height / 2 * size.width + x) * layout.componentCount])
                #expect(abs(value - expected) <= 1.01, "\(format) \(index) \(x)")
            }
        }
    }

    @Test(arguments: PixelFormat.videoFormats + PixelFormat.alphaFormats)
    func fieldsAreNotMixed(_ format: PixelFormat) {
        // Shorter ramps than the peak; alpha does not change.
        let peak = (1 << format.bitDepth) - 1
        let source = PixelBuffer.make(format, width: 48, height: 32) { plane, component, _, y in
            plane == 3 || component == 3 ? peak : y % 2 == 0 ? peak / 5 : peak * 4 / 5
        }
        let frame = VideoFrame(pixelBuffer: source, isInterlaced: true)
        let cut = FrameScaler().cut(Rectangle(x: 5.3, y: 3.8, width: 32, height: 20), of: frame, width: 48, height: 32)
        #expect(cut.isInterlaced)
        for (index, layout) in format.planes.enumerated() {
            let values = components(cut.pixelBuffer, index)
            let width = format.planeSize(index, width: 48, height: 32).width * layout.componentCount
            for (i, value) in values.enumerated() {
                let isAlpha = index == 3 || i % layout.componentCount == 3
                #expect(value == (isAlpha ? peak : i / width % 2 == 0 ? peak / 5 : peak * 4 / 5), "\(index) \(i)")
            }
        }
    }

    @Test(arguments: PixelFormat.alphaFormats)
    func alphaIsThatOfTheField(_ format: PixelFormat) {
        let peak = (1 << format.bitDepth) - 1
        let source = PixelBuffer.make(format, width: 48, height: 32) { plane, component, _, y in
            plane == 3 || component == 3 ? (y % 2 == 0 ? peak : 0) : y % 2 == 0 ? peak / 5 : peak * 4 / 5
        }
        let frame = VideoFrame(pixelBuffer: source, isInterlaced: true)
        let cut = FrameScaler().cut(Rectangle(x: 5.3, y: 3.8, width: 32, height: 20), of: frame, width: 48, height: 32)
        for (index, layout) in format.planes.enumerated() {
            let values = components(cut.pixelBuffer, index)
            let width = format.planeSize(index, width: 48, height: 32).width * layout.componentCount
            let isChroma = format.colorModel == .yuv && (1...2).contains(index)
            for (i, value) in values.enumerated() {
                let isAlpha = index == 3 || i % layout.componentCount == 3
                let shown = isAlpha ? peak : peak / 5
                #expect(value == (i / width % 2 == 0 ? shown : isChroma ? (peak + 1) / 2 : 0), "\(index) \(i)")
            }
        }
    }

    // A line that both fields show stays one line: rows of both stand where they stood.
    @Test(arguments: [PixelFormat.yuv420p, .yuv444p10, .nv12])
    func fieldsKeepTheirPlaces(_ format: PixelFormat) {
        let scale = 1 << (format.bitDepth - 8)
        func place(_ layout: PixelFormat.PlaneLayout, _ y: Int) -> Double {
            layout.verticalShift == 0 ? Double(y) + 0.5 : Double(2 * y) + 1
        }
        let source = PixelBuffer.make(format, width: 16, height: 64) { plane, _, _, y in
            Int((3 * place(format.planes[plane], y) + 10) * Double(scale))
        }
        let frame = VideoFrame(pixelBuffer: source, isInterlaced: true)
        let cut = FrameScaler().cut(Rectangle(x: 0, y: 10.3, width: 16, height: 40), of: frame, width: 16, height: 64)
        for (index, layout) in format.planes.enumerated() {
            let size = format.planeSize(index, width: 16, height: 64)
            let values = components(cut.pixelBuffer, index)
            for y in 0..<size.height {
                let expected = (3 * (10.3 + place(layout, y) * 40 / 64) + 10) * Double(scale)
                let value = Double(values[(y * size.width + size.width / 2) * layout.componentCount])
                #expect(abs(value - expected) <= 1.01 * Double(scale), "\(format) \(index) \(y)")
            }
        }
    }

    /// Straight alpha: what nothing shows has no colour to give.
    @Test(arguments: PixelFormat.alphaFormats)
    func coloursAreThoseOfWhatIsSeen(_ format: PixelFormat) {
        let peak = (1 << format.bitDepth) - 1
        func neutral(_ plane: Int) -> Int { format.colorModel == .yuv && plane > 0 ? (peak + 1) / 2 : 0 }
        func isSeen(_ x: Int, _ y: Int) -> Bool { 14..<34 ~= x && 10..<22 ~= y }
        let source = PixelBuffer.make(format, width: 48, height: 32) { plane, component, x, y in
            let (h, v) = (format.planes[plane].horizontalShift, format.planes[plane].verticalShift)
            guard isSeen(x << h, y << v) else { return plane == 3 || component == 3 ? 0 : neutral(plane) }
            return plane == 3 || component == 3 ? peak : peak * 3 / 5
        }
        let cut = FrameScaler().cut(
            Rectangle(x: 5.3, y: 3.8, width: 32, height: 20), of: VideoFrame(pixelBuffer: source), width: 48, height: 32
        )
        let alpha =
            format.colorModel == .rgb
            ? components(cut.pixelBuffer, 0).enumerated().filter { $0.offset % 4 == 3 }.map(\.element)
            : components(cut.pixelBuffer, 3)
        #expect(Set(alpha).count > 8, "an edge that is soft")
        for (index, layout) in format.planes.enumerated() where index < 3 {
            let size = format.planeSize(index, width: 48, height: 32)
            let values = components(cut.pixelBuffer, index)
            for (i, value) in values.enumerated() where i % layout.componentCount < 3 {
                let (x, y) = (i / layout.componentCount % size.width, i / layout.componentCount / size.width)
                #expect([neutral(index), peak * 3 / 5].contains(value), "\(index) \(x) \(y)")
                if !layout.isSubsampled { #expect((value == neutral(index)) == (alpha[y * 48 + x] == 0)) }
                if alpha[(y << layout.verticalShift) * 48 + x << layout.horizontalShift] == peak {
                    #expect(value == peak * 3 / 5)
                }
            }
        }
    }

    @Test func everythingElseTravelsOn() {
        let source = PixelBuffer.make(.gray8, width: 8, height: 8) { _, _, _, _ in 9 }
        let frame = VideoFrame(
            pixelBuffer: source, pts: 7, duration: 2, color: ColorDescription(range: .full), orientation: .left)
        let cut = FrameScaler().cut(Rectangle(x: -1, y: 6, width: 4, height: 4), of: frame, width: 6, height: 5)
        #expect(cut.pts == 7 && cut.duration == 2 && cut.color == frame.color && cut.orientation == .left)
        #expect(components(cut.pixelBuffer, 0) == Array(repeating: 9, count: 30), "beyond the edge it goes on")
    }
}

struct MaskExtentTests {
    @Test(arguments: [PixelFormat.gray8, .grayf32])
    func peopleAreFoundAndSpecksAreNot(_ format: PixelFormat) {
        var buffer = MutablePixelBuffer(format: format, width: 400, height: 400)
        func isSet(_ x: Int, _ y: Int) -> Bool { (40..<90 ~= x && 60..<300 ~= y) || (x, y) == (350, 20) }
        buffer.withMutablePlane(0) { plane in
            for y in 0..<400 {
                for x in 0..<400 {
                    if format == .gray8 {
                        plane.row(y, as: UInt8.self)[x] = isSet(x, y) ? 128 : 127
                    } else {
                        plane.row(y, as: Float.self)[x] = isSet(x, y) ? 0.51 : 0.5
                    }
                }
            }
        }
        #expect(MaskExtent.find(in: buffer.publish())?.rectangle == Rectangle(x: 40, y: 60, width: 50, height: 240))
    }

    @Test func nobodyIsNowhere() {
        let empty = PixelBuffer.make(.gray8, width: 9, height: 7) { _, _, _, _ in 127 }
        #expect(MaskExtent.find(in: empty) == nil)
    }
}
