import Foundation
import Imaging
import Testing

@testable import Compositing

/// Soft edges over a background that is known, so that the people's own colour is known too.
struct ForegroundEstimationTests {
    static let formats: [PixelFormat] = [
        .yuv420p, .yuv422p, .yuv444p, .nv12, .yuv420p10, .yuv420p12, .yuv444p10, .gray8, .gray16, .rgb24, .bgra,
    ]
    static let red = RGBColor(red: 1, green: 0, blue: 0)
    static let color = ColorDescription(matrix: .bt709, range: .full, chromaLocation: .center)

    /// A disc of smooth colour with a soft rim before a smooth background, mixed without the program's own kernels.
    struct Scene {
        let format: PixelFormat
        let width: Int
        let height: Int

        var peak: Double { Double((1 << format.bitDepth) - 1) }

        func alpha(_ x: Int, _ y: Int) -> UInt8 {
            let distance = hypot(Double(x - width / 2), Double(y - height / 2))
            return UInt8(min(max((0.35 * Double(height) - distance) / 6 + 0.5, 0), 1) * 255 + 0.5)
        }

        var mask: PixelBuffer { CompositingTests.mask(width: width, height: height, alpha) }

        // The mean of the pixels that a sample covers, as chroma sited between its pixels has it.
        func alpha(_ plane: Int, _ x: Int, _ y: Int) -> Double {
            let layout = format.planes[plane]
            let columns = x << layout.horizontalShift..<(x + 1) << layout.horizontalShift
            let rows = y << layout.verticalShift..<(y + 1) << layout.verticalShift
            let values = rows.flatMap { y in
                columns.map { x in Double(alpha(min(x, width - 1), min(y, height - 1))) }
            }
            return values.reduce(0, +) / Double(values.count) / 255
        }

        func foreground(_ plane: Int, _ component: Int, _ x: Int, _ y: Int) -> Double {
            // The fourth component is alpha, and opaque.
            component == 3 ? peak : (0.25 + 0.05 * Double(plane + component) + 0.1 * position(plane, x, y)) * peak
        }

        func background(_ plane: Int, _ component: Int, _ x: Int, _ y: Int) -> Double {
            component == 3 ? peak : (0.8 - 0.02 * Double(plane + component) - 0.1 * position(plane, x, y)) * peak
        }

        private func position(_ plane: Int, _ x: Int, _ y: Int) -> Double {
            let size = format.planeSize(plane, width: width, height: height)
            return (Double(x) / Double(size.width) + Double(y) / Double(size.height)) / 2
        }

        var frame: VideoFrame {
            let buffer = picture(format, width: width, height: height) { plane, component, x, y in
                let a = alpha(plane, x, y)
                let value = foreground(plane, component, x, y) * a + background(plane, component, x, y) * (1 - a)
                return Int(value.rounded())
            }
            return VideoFrame(pixelBuffer: buffer, color: ForegroundEstimationTests.color)
        }

        /// Every component with an alpha between 0 and 1: its place, its alpha, what it is without the background.
        func forEachSoft(_ body: (_ plane: Int, _ place: Int, _ alpha: Double, _ foreground: Double) -> Void) {
            for (plane, layout) in format.planes.enumerated() {
                let size = format.planeSize(plane, width: width, height: height)
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        let a = alpha(plane, x, y)
                        guard a > 0, a < 1 else { continue }
                        for c in 0..<layout.componentCount {
                            body(plane, (y * size.width + x) * layout.componentCount + c, a, foreground(plane, c, x, y))
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: formats)
    func theOldBackgroundIsGoneFromSoftEdges(_ format: PixelFormat) {
        for (width, height) in [(96, 64), (131, 77)] {
            let scene = Scene(format: format, width: width, height: height)
            let frame = scene.frame
            let before = frame.pixelBuffer.components()
            let after = Compositor().composite(frame, mask: scene.mask, over: .color(Self.red))
                .pixelBuffer.components()
            let new = background(frame)
            var (error, plainError, largest, count) = (0.0, 0.0, 0.0, 0)
            scene.forEachSoft { plane, place, alpha, foreground in
                let components = format.planes[plane].componentCount
                let rest = Double(new[plane][place % components]) * (1 - alpha)
                let truth = foreground * alpha + rest
                error += abs(Double(after[plane][place]) - truth)
                plainError += abs(Double(before[plane][place]) * alpha + rest - truth)
                largest = max(largest, abs(Double(after[plane][place]) - truth))
                count += 1
            }
            #expect(count > 100)
            #expect(error / Double(count) < 0.008 * scene.peak)
            #expect(error < 0.15 * plainError)
            #expect(largest < 0.03 * scene.peak)
        }
    }

    // What a clear mask leaves: the new background's components of each plane.
    private func background(_ frame: VideoFrame) -> [[Int]] {
        let (width, height) = (frame.pixelBuffer.width, frame.pixelBuffer.height)
        let clear = mask(width: width, height: height) { _, _ in 0 }
        return Compositor().composite(frame, mask: clear, over: .color(Self.red)).pixelBuffer.components()
    }

    @Test(arguments: formats)
    func pureAlphaBesideSoftAlphaIsExact(_ format: PixelFormat) {
        let (width, height) = (61, 43)
        let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height), color: Self.color)
        let columns = mask(width: width, height: height) { x, _ in [255, 255, 255, 100, 0, 0, 0, 0][x / 2 % 8] }
        let before = frame.pixelBuffer.components()
        let after = Compositor().composite(frame, mask: columns, over: .color(Self.red)).pixelBuffer.components()
        let new = background(frame)
        for (plane, layout) in format.planes.enumerated() {
            let count = layout.componentCount
            let samples = format.planeSize(plane, width: width, height: height).width
            for place in before[plane].indices {
                // Pairs of columns are one column of halved chroma, sited between them.
                switch place / count % samples / (layout.horizontalShift > 0 ? 1 : 2) % 8 {
                case 0, 1, 2: #expect(after[plane][place] == before[plane][place])
                case 3: break
                default: #expect(after[plane][place] == new[plane][place])
                }
            }
        }
    }

    @Test(arguments: formats)
    func aHardMaskGivesThePlainBlend(_ format: PixelFormat) {
        let (width, height) = (50, 38)
        let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height), color: Self.color)
        // Hard in chroma too: pairs of columns and rows share their alpha.
        let hard = mask(width: width, height: height) { x, y in (x / 2 + y / 2) % 3 == 0 ? 255 : 0 }
        let before = frame.pixelBuffer.components()
        let after = Compositor().composite(frame, mask: hard, over: .color(Self.red)).pixelBuffer.components()
        let new = background(frame)
        for (plane, layout) in format.planes.enumerated() {
            let size = format.planeSize(plane, width: width, height: height)
            for place in before[plane].indices {
                let sample = place / layout.componentCount
                let x = (sample % size.width) << layout.horizontalShift
                let y = (sample / size.width) << layout.verticalShift
                let expected = (x / 2 + y / 2) % 3 == 0 ? before[plane][place] : new[plane][place]
                #expect(after[plane][place] == expected)
            }
        }
    }

    @Test(arguments: formats)
    func oneColorEverywhereStaysThatColor(_ format: PixelFormat) throws {
        let value = (1 << format.bitDepth) * 2 / 3
        let buffer = picture(format, width: 40, height: 30) { plane, component, _, _ in value + plane + component }
        let frame = VideoFrame(pixelBuffer: buffer, color: Self.color)
        var rows = [[Int]](repeating: [], count: format.planes.count)
        let soft = mask(width: 40, height: 30) { x, y in UInt8(min(x * 7, 255)) }
        ForegroundEstimator().collect(frame, soft, into: &rows)
        for (plane, layout) in format.planes.enumerated() {
            for (place, found) in rows[plane].enumerated() {
                #expect(found == value + plane + place % layout.componentCount)
            }
        }
    }

    // Person and background alike, and steep: the colours between the cells' centres are interpolated.
    @Test(arguments: [true, false])
    func aSlopeStaysThatSlope(_ isAcross: Bool) {
        let (width, height) = isAcross ? (56, 40) : (40, 56)
        for format in [PixelFormat.gray8, .yuv420p, .nv12, .rgb24, .yuv444p10] {
            let buffer = picture(format, width: width, height: height) { plane, component, x, y in
                10 + plane + component + ((isAcross ? x : y) << format.planes[plane].horizontalShift) * 4
            }
            let frame = VideoFrame(pixelBuffer: buffer, color: Self.color)
            let stripes = mask(width: width, height: height) { x, y in [255, 200, 0, 60][(isAcross ? y : x) % 4] }
            var rows = [[Int]](repeating: [], count: format.planes.count)
            ForegroundEstimator().collect(frame, stripes, into: &rows)
            for (plane, layout) in format.planes.enumerated() {
                let samples = format.planeSize(plane, width: width, height: height).width
                let before = buffer.components(of: plane)
                for (place, found) in rows[plane].enumerated() {
                    let sample = place / layout.componentCount
                    let position = (isAcross ? sample % samples : sample / samples) << layout.horizontalShift
                    // The outermost cells have nothing beyond them to go on from.
                    if (12..<44).contains(position) { #expect(abs(found - before[place]) <= 1) }
                }
            }
        }
    }

    @Test func withoutAClearBackgroundTheFrameStays() {
        for alpha in [1, 100, 127, 128, 200] as [UInt8] {
            let frame = VideoFrame(pixelBuffer: noise(.yuv420p, width: 34, height: 22), color: Self.color)
            var rows = [[Int]](repeating: [], count: 3)
            ForegroundEstimator().collect(frame, mask(width: 34, height: 22) { _, _ in alpha }, into: &rows)
            #expect(rows == frame.pixelBuffer.components())
        }
    }

    @Test(arguments: PixelFormat.videoFormats)
    func everySizeHasEveryRowOnce(_ format: PixelFormat) {
        let estimator = ForegroundEstimator()
        for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 3), (33, 17), (128, 5)] {
            let frame = VideoFrame(pixelBuffer: noise(format, width: width, height: height), color: Self.color)
            let soft = noise(.gray8, width: width, height: height, seed: 7)
            var rows = [[Int]](repeating: [], count: format.planes.count)
            estimator.collect(frame, soft, into: &rows)
            #expect(rows.map(\.count) == frame.pixelBuffer.components().map(\.count))
        }
    }

    @Test func earlierFramesLeaveNothingBehind() {
        let compositor = Compositor()
        let extractor = ForegroundExtractor()
        for (format, width, height) in [
            (PixelFormat.yuv420p, 96, 64), (.rgb24, 96, 64), (.nv12, 50, 70), (.yuv420p, 96, 64), (.yuv420p10, 400, 30),
            (.yuv444p, 60, 4), (.gray8, 96, 64), (.gray8, 31, 64),
        ] {
            for seed in 1...3 as ClosedRange<UInt32> {
                let frame = VideoFrame(
                    pixelBuffer: noise(format, width: width, height: height, seed: seed), color: Self.color)
                let shift = Int(seed) * 9
                let soft = mask(width: width, height: height) { x, y in
                    UInt8(min(max((x + y - shift) * 20, 0), 255))
                }
                let used = compositor.composite(frame, mask: soft, over: .color(Self.red))
                let fresh = Compositor().composite(frame, mask: soft, over: .color(Self.red))
                #expect(used.pixelBuffer.components() == fresh.pixelBuffer.components())
                let usedForeground = extractor.foreground(of: frame, mask: soft)
                let freshForeground = ForegroundExtractor().foreground(of: frame, mask: soft)
                #expect(usedForeground?.pixelBuffer.components() == freshForeground?.pixelBuffer.components())
            }
        }
    }
}

extension ForegroundEstimator {
    /// Appends the foreground's components of every plane to `planes`, for formats of any depth.
    func collect(_ frame: VideoFrame, _ mask: PixelBuffer, into planes: inout [[Int]]) {
        func collect<T: PixelComponent>(_ type: T.Type) {
            let (format, width, height) = (
                frame.pixelBuffer.format, frame.pixelBuffer.width, frame.pixelBuffer.height
            )
            forEachRow(of: frame, mask: mask, foreground: nil, as: type) { row in
                let samples = format.planeSize(row.plane, width: width, height: height).width
                let count = samples * format.planes[row.plane].componentCount
                planes[row.plane] += (0..<count).map { Int(row.components[$0]) }
            }
        }
        if frame.pixelBuffer.format.bytesPerComponent == 1 { collect(UInt8.self) } else { collect(UInt16.self) }
    }
}
