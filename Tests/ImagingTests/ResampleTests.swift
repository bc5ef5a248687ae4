import Testing

@testable import Imaging

struct ResampleTests {
    @Test func weightsAddUpToOneAndStayInside() {
        for limit in 1...12 {
            for count in 1...12 {
                for (origin, length) in [(0.0, Double(limit)), (-3.0, Double(limit) + 6), (0.3, 2.2), (-9.0, 4.0)] {
                    let taps = ResampleTaps(origin: origin, length: length, count: count, limit: limit)
                    for target in 0..<count {
                        let weights = taps.weights[target * taps.tapCount..<(target + 1) * taps.tapCount]
                        #expect(abs(weights.reduce(0, +) - 1) < 1e-5)
                        #expect(taps.starts[target] >= 0 && taps.starts[target] + taps.tapCount <= limit)
                    }
                }
            }
        }
    }

    @Test func shrinkingTakesTheMeanOfTheArea() {
        let buffer = PixelBuffer.make(.gray8, width: 6, height: 4) { _, _, x, y in 10 * x + y }
        let frame = VideoFrame(pixelBuffer: buffer, color: ColorDescription(range: .full))
        let found = sample(frame, Rectangle(x: 0, y: 0, width: 6, height: 4), 2, 2)
        // Means of 3 x 2 pixels.
        let expected: [Float] = [10.5, 40.5, 12.5, 42.5].map { $0 / 255 }
        #expect(near(stride(from: 0, to: 12, by: 3).map { found[$0] }, expected, 1e-5))
    }

    @Test func sameSizeIsACopy() {
        var noise = Noise(state: 1)
        let values = (0..<35).map { _ in Int(noise.next() % 256) }
        let buffer = PixelBuffer.make(.gray8, width: 7, height: 5) { _, _, x, y in values[7 * y + x] }
        let frame = VideoFrame(pixelBuffer: buffer, color: ColorDescription(range: .full))
        let found = sample(frame, Rectangle(x: 0, y: 0, width: 7, height: 5), 7, 5)
        #expect(near(stride(from: 0, to: 105, by: 3).map { found[$0] }, values.map { Float($0) / 255 }, 1e-5))
    }

    @Test func theBorderIsRepeatedOutside() {
        let buffer = PixelBuffer.make(.gray8, width: 2, height: 1) { _, _, x, _ in x == 0 ? 51 : 204 }
        let frame = VideoFrame(pixelBuffer: buffer, color: ColorDescription(range: .full))
        let found = sample(frame, Rectangle(x: -2, y: -1, width: 6, height: 3), 6, 3)
        let row: [Float] = [0.2, 0.2, 0.2, 0.8, 0.8, 0.8]
        #expect(near(stride(from: 0, to: 54, by: 3).map { found[$0] }, row + row + row, 1e-5))
    }

    // A turned frame shows the same upright picture as one that was stored upright.
    @Test(arguments: Orientation.allCases, [PixelFormat.yuv444p, .rgb24, .gray8])
    func orientationIsHonoured(_ orientation: Orientation, _ format: PixelFormat) {
        let (width, height) = (9, 6)
        var noise = Noise(state: 7)
        let values = (0..<width * height * 3).map { _ in Int(noise.next() % 256) }
        let upright = PixelBuffer.make(format, width: width, height: height) { plane, component, x, y in
            values[(y * width + x) * 3 + plane + component]
        }
        let walk = StoredWalk(orientation, width: width, height: height)
        let (storedWidth, storedHeight) = orientation.swapsAxes ? (height, width) : (width, height)
        var source = [Int](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width { source[walk.origin + y * walk.perRow + x * walk.perColumn] = y * width + x }
        }
        let stored = PixelBuffer.make(format, width: storedWidth, height: storedHeight) { plane, component, x, y in
            values[source[y * storedWidth + x] * 3 + plane + component]
        }
        let crop = Rectangle(x: 1, y: 2, width: 6, height: 3)
        let expected = sample(VideoFrame(pixelBuffer: upright), crop, 4, 2)
        let found = sample(VideoFrame(pixelBuffer: stored, orientation: orientation), crop, 4, 2)
        #expect(near(found, expected, 1e-5))
    }

    @Test func affineSamplerReadsBetweenPixels() {
        let source: [UInt8] = [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        func at(_ x: Double, _ y: Double) -> [Float] {
            source.withUnsafeBytes { source in
                let plane = Plane(base: source.baseAddress!, bytesPerRow: 6, width: 2, height: 2)
                return (0..<3).map { component in
                    var value: Float = -1
                    AffineSampler.sample(
                        plane, as: UInt8.self, step: 3, component: component,
                        map: AffineTransform(a: 1, b: 0, tx: x, c: 0, d: 1, ty: y), into: &value, width: 1, height: 1)
                    return value
                }
            }
        }
        #expect(at(0, 0) == [0, 0, 0])
        #expect(at(0.5, 0) == [0.5, 1, 1.5])
        #expect(at(0.5, 0.5) == [3, 3.75, 4.5])
        #expect(at(9, 9) == [7, 8, 9])
        #expect(at(-9, 0.5) == [2, 2.5, 3])
    }

    @Test func enlargedMapsAreBilinearWithCentresAligned() {
        var noise = Noise(state: 3)
        for (mapWidth, mapHeight) in [(1, 1), (1, 4), (5, 1), (4, 3), (9, 7)] {
            let map = ScalarMap(
                width: mapWidth, height: mapHeight,
                values: (0..<mapWidth * mapHeight).map { _ in Float.random(in: 0...1, using: &noise) })
            for (width, height) in [(mapWidth, mapHeight), (3, 5), (13, 11), (16, 1)] {
                let enlarger = MapEnlarger()
                enlarger.prepare(map, width: width, height: height)
                var row = [Float](repeating: -1, count: width)
                for y in 0..<height {
                    enlarger.row(y, into: &row)
                    let expected = (0..<width).map { x in reference(map, x, y, width, height) }
                    #expect(near(row, expected, 1e-5))
                }
            }
        }
    }

    private func reference(_ map: ScalarMap, _ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Float {
        func clamp(_ i: Int, _ limit: Int) -> Int { min(max(i, 0), limit - 1) }
        let u = (Double(x) + 0.5) * Double(map.width) / Double(width) - 0.5
        let v = (Double(y) + 0.5) * Double(map.height) / Double(height) - 0.5
        let (x0, y0) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
        let (fx, fy) = (u - Double(x0), v - Double(y0))
        func value(_ i: Int, _ j: Int) -> Double {
            Double(map.values[clamp(j, map.height) * map.width + clamp(i, map.width)])
        }
        let upper = value(x0, y0) * (1 - fx) + value(x0 + 1, y0) * fx
        let lower = value(x0, y0 + 1) * (1 - fx) + value(x0 + 1, y0 + 1) * fx
        return Float(upper * (1 - fy) + lower * fy)
    }
}
