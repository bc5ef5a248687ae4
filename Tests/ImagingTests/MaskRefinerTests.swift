import Glibc
import Testing

@testable import Imaging

struct MaskRefinerTests {
    private static let settings = MaskRefiner.Settings(radius: 2, lumaVariance: 0.03, chromaVariance: 0.0002)

    // The mask of `frame` as `refiner` makes it of `mask`, with no more than the frame's own size or a smaller mask's.
    private func refined(
        _ mask: ScalarMap, _ frame: VideoFrame, _ settings: MaskRefiner.Settings = settings
    ) -> [Float] {
        let buffer = frame.pixelBuffer
        let sampler = FrameSampler()
        var picture = RGBMap(width: mask.width, height: mask.height)
        sampler.sample(
            frame, source: Rectangle(x: 0, y: 0, width: Double(buffer.width), height: Double(buffer.height)),
            into: &picture)
        var components: [ScalarMap] = []
        sampler.components(of: frame, width: mask.width, height: mask.height, into: &components)
        let patch = MaskPatch(
            x: 0, y: 0, width: buffer.width, height: buffer.height, of: buffer,
            refiner: MaskRefiner(width: mask.width, height: mask.height, settings: settings), mask: mask,
            components: components,
            noise: NoiseEstimator.deviations(
                of: buffer, color: frame.color, columns: 0..<buffer.width, rows: 0..<buffer.height))
        return MaskRenderer().render([patch], over: frame, format: .grayf32).withPlane(0) { plane in
            (0..<buffer.height).flatMap { y in (0..<buffer.width).map { plane.row(y, as: Float.self)[$0] } }
        }
    }

    // People of one colour on the left of a slanted line, with alpha between them and the background in one pixel.
    private func alpha(_ x: Int, _ y: Int) -> Float { min(max(30.3 + Float(y) / 4 - Float(x), 0), 1) }

    private func frame(
        _ format: PixelFormat, people: [Float], background: [Float], deviation: Float = 0
    ) -> VideoFrame {
        var noise = Noise(state: 21)
        let peak = Float((1 << format.bitDepth) - 1)
        let buffer = PixelBuffer.make(format, width: 64, height: 32) { plane, component, x, y in
            let index = plane + component
            let (across, down) = (format.planes[plane].horizontalShift, format.planes[plane].verticalShift)
            guard index < people.count else { return Int(peak) }
            let share = alpha(x << across, y << down)
            let value = background[index] + (people[index] - background[index]) * share
            let noise = deviation == 0 ? 0 : Float.random(in: -1...1, using: &noise) * deviation * 1.732
            return Int(min(max((value + noise) * peak, 0), peak).rounded())
        }
        return VideoFrame(pixelBuffer: buffer)
    }

    // Four pixels wide, and one pixel off.
    private var coarse: ScalarMap {
        var mask = ScalarMap(width: 64, height: 32)
        for i in mask.values.indices {
            let (x, y) = (Float(i % 64), Float(i / 64))
            mask.values[i] = min(max((32.8 + y / 4 - x) / 4, 0), 1)
        }
        return mask
    }

    private func error(_ mask: [Float]) -> Float {
        mask.indices.reduce(0) { $0 + abs(mask[$1] - alpha($1 % 64, $1 / 64)) } / 32
    }

    // By luma, by chroma alone, in every kind of format.
    @Test(
        arguments: [
            (PixelFormat.gray8, [0.9], [0.2]), (.yuv444p, [0.5, 0.4, 0.6], [0.5, 0.6, 0.45]),
            (.yuv444p10, [0.8, 0.5, 0.5], [0.3, 0.5, 0.5]), (.yuv420p, [0.5, 0.4, 0.6], [0.5, 0.6, 0.45]),
            (.nv12, [0.5, 0.5, 0.7], [0.4, 0.5, 0.45]), (.rgb24, [0.8, 0.5, 0.4], [0.3, 0.5, 0.6]),
            (.bgra, [0.4, 0.5, 0.8], [0.6, 0.5, 0.3]),
        ] as [(PixelFormat, [Float], [Float])])
    func edgesMoveToWhereTheColoursChange(_ format: PixelFormat, _ people: [Float], _ background: [Float]) {
        let before = error(coarse.values)
        let after = error(refined(coarse, frame(format, people: people, background: background)))
        #expect(before > 1, "the mask is off by about a pixel in each row")
        #expect(after < (format.planes.contains(where: \.isSubsampled) ? 0.7 : 0.5), "\(format): \(after)")
    }

    // A mask of a quarter of the size has the frame's edges as well.
    @Test func aSmallMaskGetsTheFramesEdges() {
        var small = ScalarMap(width: 16, height: 8)
        for i in small.values.indices {
            let mean = (0..<16).reduce(Float(0)) { $0 + alpha(4 * (i % 16) + $1 % 4, 4 * (i / 16) + $1 / 4) } / 16
            small.values[i] = mean
        }
        let enlarger = MapEnlarger()
        enlarger.prepare(small, width: 64, height: 32)
        var plain: [Float] = []
        for y in 0..<32 {
            var row = [Float](repeating: 0, count: 64)
            enlarger.row(y, into: &row)
            plain += row
        }
        let frame = frame(.yuv444p, people: [0.7, 0.4, 0.6], background: [0.3, 0.55, 0.45])
        let after = error(refined(small, frame))
        #expect(after < 0.4 * error(plain), "\(after) of \(error(plain))")
    }

    // Where nothing tells people from the background the mask is what it was, but for the contrast.
    @Test(arguments: [1, 1.3] as [Float])
    func aFlatPictureKeepsTheMask(_ contrast: Float) {
        var settings = Self.settings
        settings.contrast = contrast
        let found = refined(coarse, frame(.yuv420p, people: [0.5, 0.5, 0.5], background: [0.5, 0.5, 0.5]), settings)
        func steep(_ value: Float) -> Float { min(max((value - 0.5) * contrast + 0.5, 0), 1) }
        #expect(near(found, coarse.values.map { steep(steep($0)) }, 1e-4))
    }

    // Noise is no edge: the mask follows a clean one only.
    @Test func noiseIsNotTakenOver() {
        let noisy = frame(.yuv444p, people: [0.5, 0.5, 0.5], background: [0.5, 0.5, 0.5], deviation: 0.04)
        let found = refined(coarse, noisy)
        let worst = zip(found, coarse.values).map { abs($0 - $1) }.max()!
        #expect(worst < 0.15, "\(worst)")
    }

    // Far from edges nothing changes whatever the picture shows.
    @Test func insidesStayWhole() {
        var noise = Noise(state: 8)
        let busy = PixelBuffer.make(.yuv444p, width: 64, height: 32) { _, _, _, _ in
            Int.random(in: 0...255, using: &noise)
        }
        let found = refined(coarse, VideoFrame(pixelBuffer: busy))
        for i in found.indices {
            let edge = 30.8 + Float(i / 64) / 4
            if Float(i % 64) < edge - 7 { #expect(found[i] == 1) }
            if Float(i % 64) > edge + 7 { #expect(found[i] == 0) }
        }
    }

    // A region of a frame has the mask that a frame of its own would have.
    @Test(arguments: [PixelFormat.yuv420p, .yuv444p, .rgb24, .gray8], [(12, 6), (13, 7)])
    func aPatchLiesWhereItBelongs(_ format: PixelFormat, _ place: (x: Int, y: Int)) {
        let small = frame(format, people: [0.7, 0.4, 0.6], background: [0.3, 0.6, 0.45])
        let planes = small.pixelBuffer.withPlanes { planes in
            zip(planes, format.planes).map { plane, layout in
                let count = plane.width * layout.componentCount
                return (0..<plane.height).map { y in (0..<count).map { plane.row(y, as: UInt8.self)[$0] } }
            }
        }
        let large = PixelBuffer.make(format, width: 96, height: 48) { plane, component, x, y in
            let layout = format.planes[plane]
            let (row, column) = (y - place.y >> layout.verticalShift, x - place.x >> layout.horizontalShift)
            let rows = planes[plane]
            let inside = min(max(column, 0), rows[0].count / layout.componentCount - 1)
            return Int(rows[min(max(row, 0), rows.count - 1)][inside * layout.componentCount + component])
        }
        let sampler = FrameSampler()
        var (picture, components) = (RGBMap(width: 64, height: 32), [ScalarMap]())
        let frame = VideoFrame(pixelBuffer: large)
        sampler.sample(
            frame, source: Rectangle(x: Double(place.x), y: Double(place.y), width: 64, height: 32), into: &picture)
        sampler.components(of: frame, width: 64, height: 32, into: &components)
        let patch = MaskPatch(
            x: place.x, y: place.y, width: 64, height: 32, of: large,
            refiner: MaskRefiner(width: 64, height: 32, settings: Self.settings), mask: coarse,
            components: components,
            noise: NoiseEstimator.deviations(
                of: large, color: frame.color, columns: place.x..<place.x + 64, rows: place.y..<place.y + 32))
        let whole = MaskRenderer().render([patch], over: frame, format: .grayf32).withPlane(0) { plane in
            (0..<48).map { y in (0..<96).map { plane.row(y, as: Float.self)[$0] } }
        }
        let alone = refined(coarse, small)
        // Away from where the patch fades. At odd places chroma's samples are not those of the frame of its own.
        let tolerance: Float = place.x % 2 == 0 || !format.planes.contains(where: \.isSubsampled) ? 2e-3 : 0.45
        for y in 4..<28 {
            for x in 4..<60 {
                #expect(abs(whole[place.y + y][place.x + x] - alone[64 * y + x]) < tolerance, "\(format) \(x) \(y)")
            }
        }
    }

    // Nothing is left of the frames before.
    @Test func frameAfterFrameIsAsAlone() {
        let renderer = MaskRenderer()
        let colors: ([Float], [Float]) = ([0.7, 0.4, 0.6], [0.3, 0.6, 0.45])
        var frames = [PixelFormat.yuv420p, .rgba, .gray8, .yuv420p10, .nv12, .yuv420p].map {
            frame($0, people: colors.0, background: colors.1)
        }
        frames[5].color.chromaLocation = .center
        for frame in frames {
            let buffer = frame.pixelBuffer
            func patch() -> MaskPatch {
                let sampler = FrameSampler()
                var (picture, components) = (RGBMap(width: 64, height: 32), [ScalarMap]())
                sampler.sample(frame, source: Rectangle(x: 0, y: 0, width: 64, height: 32), into: &picture)
                sampler.components(of: frame, width: 64, height: 32, into: &components)
                return MaskPatch(
                    x: 0, y: 0, width: 64, height: 32, of: buffer,
                    refiner: MaskRefiner(width: 64, height: 32, settings: Self.settings), mask: coarse,
                    components: components,
                    noise: NoiseEstimator.deviations(
                        of: buffer, color: frame.color, columns: 0..<64, rows: 0..<32))
            }
            let found = renderer.render([patch()], over: frame, format: .gray8).bytes()
            #expect(found == MaskRenderer().render([patch()], over: frame, format: .gray8).bytes(), "\(buffer.format)")
        }
    }

    // Word for word, in double precision.
    @Test(arguments: [1, 2, 4], [PixelFormat.yuv444p, .rgb24, .gray8])
    func itIsTheDiscriminantOfEachWindow(_ radius: Int, _ format: PixelFormat) {
        var noise = Noise(state: UInt64(radius))
        let (width, height) = (23, 13)
        // Blocks of colours, with so many borders and corners that they count as noise.
        let buffer = PixelBuffer.make(format, width: width, height: height) { plane, component, x, y in
            let block = (x / 3 * 7 + y / 3 * 3 + 5 * (plane + component)) % 11
            return 40 + 15 * block + (x % 3 == 0 && y % 3 == 0 ? 5 : 0)
        }
        var mask = ScalarMap(width: width, height: height)
        for i in mask.values.indices {
            // Edges everywhere, at the borders too.
            let wave = sin(0.9 * Float(i % width) + 0.5 * Float(i / width))
            mask.values[i] = min(max(0.5 + 0.8 * wave + Float.random(in: -0.2...0.2, using: &noise), 0), 1)
        }
        let settings = MaskRefiner.Settings(radius: radius, lumaVariance: 0.02, chromaVariance: 0.001, contrast: 1.2)
        let found = refined(mask, VideoFrame(pixelBuffer: buffer), settings)
        let deviations = NoiseEstimator.deviations(
            of: buffer, color: ColorDescription(), columns: 0..<width, rows: 0..<height)
        #expect(deviations[0] > 0, "there is noise to stand out from")
        let colors = buffer.withPlanes { planes in
            (0..<width * height).map { i -> [Double] in
                let (x, y) = (i % width, i / width)
                func value(_ plane: Int, _ place: Int) -> Double {
                    Double(planes[plane].row(y, as: UInt8.self)[place]) / 255
                }
                switch format.colorModel {
                case .gray: return [value(0, x), 0, 0]
                case .yuv: return [value(0, x), value(1, x), value(2, x)]
                case .rgb:
                    let green = value(0, 3 * x + 1)
                    return [green, (value(0, 3 * x + 2) - green) / 2, (value(0, 3 * x) - green) / 2]
                }
            }
        }
        let steep = mask.values.map { min(max((Double($0) - 0.5) * 1.2 + 0.5, 0), 1) }
        // An edge has to stand out from ten deviations of noise.
        let floor = zip([0.02, 0.001, 0.001], [deviations[0], deviations[1], deviations[2]]).map {
            $0 + 100 * Double($1 * $1)
        }
        var worst = 0.0
        for i in found.indices {
            let (x, y) = (i % width, i / width)
            let window = (max(0, y - radius)...min(height - 1, y + radius)).flatMap { row in
                (max(0, x - radius)...min(width - 1, x + radius)).map { row * width + $0 }
            }
            let exact = discriminant(steep, colors, window, i, floor: floor)
            worst = max(worst, abs(min(max((exact - 0.5) * 1.2 + 0.5, 0), 1) - Double(found[i])))
        }
        #expect(worst < 2e-3)
    }

    private func discriminant(
        _ mask: [Double], _ colors: [[Double]], _ window: [Int], _ pixel: Int, floor: [Double]
    ) -> Double {
        func moments(_ weight: (Double) -> Double) -> (weight: Double, mean: [Double], variance: [Double]) {
            let total = window.reduce(0) { $0 + weight(mask[$1]) }
            let mean = (0..<3).map { c in window.reduce(0) { $0 + weight(mask[$1]) * colors[$1][c] } / total }
            let squares = (0..<3).map { c in
                window.reduce(0) { $0 + weight(mask[$1]) * (colors[$1][c] - mean[c]) * (colors[$1][c] - mean[c]) }
            }
            return (total, mean, squares.map { $0 / total })
        }
        let people = moments { max(0, ($0 - 0.65) / 0.35) }
        let background = moments { max(0, (0.35 - $0) / 0.35) }
        guard people.weight >= 0.1, background.weight >= 0.1 else { return mask[pixel] }
        var (distance, along) = (0.0, 0.0)
        for c in 0..<3 {
            let difference = people.mean[c] - background.mean[c]
            let weight = difference / (floor[c] + people.variance[c] + background.variance[c])
            distance += difference * weight
            along += (colors[pixel][c] - background.mean[c]) * weight
        }
        // The colour's alpha counts by the squared distance, the mask by 2; and less the fewer pixels there are.
        let fewer = min(people.weight, background.weight)
        let byColor = (along + 2 * mask[pixel]) / (distance + 2)
        return mask[pixel] + (byColor - mask[pixel]) * fewer / (fewer + 0.5)
    }
}
