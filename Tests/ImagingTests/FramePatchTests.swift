import Testing

@testable import Imaging

struct FramePatchTests {
    /// A smooth picture, whatever its format and turn.
    private func frame(_ format: PixelFormat, _ orientation: Orientation = .up) -> VideoFrame {
        let peak = Double((1 << format.bitDepth) - 1)
        let buffer = PixelBuffer.make(format, width: 96, height: 64) { plane, component, x, y in
            let size = format.planeSize(plane, width: 96, height: 64)
            let (u, v) = ((Double(x) + 0.5) / Double(size.width), (Double(y) + 0.5) / Double(size.height))
            return Int((0.2 + 0.3 * u + 0.2 * v + 0.05 * Double(plane + component)) * peak)
        }
        return VideoFrame(
            pixelBuffer: buffer, color: ColorDescription(range: .full, chromaLocation: .center),
            orientation: orientation)
    }

    private func cut(_ frame: VideoFrame, _ map: AffineTransform, factor: Double, _ width: Int, _ height: Int)
        -> [Float]
    {
        let patch = FramePatch()
        let (wide, high) = frame.uprightSize
        patch.read(frame, rectangle: Rectangle(x: 0, y: 0, width: Double(wide), height: Double(high)), factor: factor)
        var found = [Float](repeating: -1, count: 3 * width * height)
        patch.cut(map, into: &found, width: width, height: height)
        return found
    }

    // A cut along the picture's own axes is what the sampler makes of that rectangle.
    @Test(arguments: PixelFormat.videoFormats, [1.0, 2.0])
    func anUprightCutIsASample(_ format: PixelFormat, _ factor: Double) {
        let frame = frame(format)
        let source = Rectangle(x: 16, y: 8, width: 24 * factor, height: 16 * factor)
        // Pixel (i, j) of the cut is the middle of `factor` pixels on each side.
        let map = AffineTransform(
            a: factor, b: 0, tx: source.x + factor / 2 - 0.5, c: 0, d: factor, ty: source.y + factor / 2 - 0.5)
        let found = cut(frame, map, factor: factor, 24, 16)
        let expected = sample(frame, source, 24, 16)
        #expect(near(found, expected, 0.006), "\(zip(found, expected).map { abs($0 - $1) }.max()!)")
    }

    // A turned frame shows the same upright picture, wherever it is cut and however much it is shrunk.
    @Test(arguments: Orientation.allCases, [1.0, 2.0])
    func orientationIsHonoured(_ orientation: Orientation, _ factor: Double) {
        let turned = frame(.yuv444p, orientation)
        let (width, height) = turned.uprightSize
        let whole = sample(turned, Rectangle(x: 0, y: 0, width: Double(width), height: Double(height)), width, height)
        let found = cut(turned, AffineTransform(a: 0.8, b: 0.6, tx: 20, c: -0.6, d: 0.8, ty: 30), factor: factor, 9, 9)
        for j in 0..<9 {
            for i in 0..<9 {
                let (x, y) = (20 + 0.8 * Double(i) + 0.6 * Double(j), 30 - 0.6 * Double(i) + 0.8 * Double(j))
                let (column, row) = (Int(x.rounded()), Int(y.rounded()))
                for component in 0..<3 {
                    let near = whole[3 * (row * width + column) + component]
                    #expect(abs(found[3 * (9 * j + i) + component] - near) < 0.02)
                }
            }
        }
    }

    @Test func theFramesBorderGoesOn() {
        let frame = frame(.yuv420p)
        let far = cut(frame, AffineTransform(a: 1, b: 0, tx: -50, c: 0, d: 1, ty: -70), factor: 1, 2, 2)
        let corner = cut(frame, AffineTransform(a: 0, b: 0, tx: 0, c: 0, d: 0, ty: 0), factor: 1, 1, 1)
        #expect(near(Array(far[0..<3]), corner, 1e-6) && near(Array(far[9..<12]), corner, 1e-6))
    }
}
