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
