import Testing

@testable import Imaging

struct MaskRunTests {
    // A map of functions that are clear in one part, opaque in another and anything between them, at every ratio of sizes.
    @Test(arguments: [(40, 24), (93, 51), (160, 90), (7, 5), (20, 12)])
    func runsAndValuesAreTheEnlargedFunctions(_ size: (width: Int, height: Int)) {
        var noise = Noise(state: 31)
        let (width, height) = (20, 12)
        var constants = [Float](repeating: 0, count: width * height)
        var slopes = [SIMD3<Float>](repeating: .zero, count: width * height)
        for i in slopes.indices {
            constants[i] = [-0.4, 0.1, 0.6, 1.4][i % width / 5] + Float.random(in: -0.05...0.05, using: &noise)
            guard i % 3 == 0, (0.0...1).contains(constants[i]) else { continue }
            slopes[i] = SIMD3.random(in: -0.3...0.3, using: &noise)
        }
        var functions = LinearFunctionMap(width: width, height: height)
        for y in 0..<height {
            functions.withRow(y) { row in
                constants.withUnsafeBufferPointer {
                    row.set($0.baseAddress! + y * width, scale: 1.5, shift: -0.2, count: width)
                }
                for x in 0..<width where slopes[y * width + x] != .zero {
                    row.set(x, offset: constants[y * width + x] * 1.5 - 0.2, slopes: slopes[y * width + x])
                }
            }
        }
        functions.prepare(fullWidth: size.width, fullHeight: size.height)
        let offset = enlarged(constants.map { $0 * 1.5 - 0.2 }, width, height, size)
        let slope = (0..<3).map { index in enlarged(slopes.map { $0[index] }, width, height, size) }
        var kinds: Set<MaskRun.Kind> = []
        for y in 0..<size.height {
            let guide = (0..<3).map { _ in (0..<size.width).map { _ in Float.random(in: 0...1, using: &noise) } }
            functions.enter(y)
            #expect(functions.runs.first?.columns.lowerBound == 0)
            #expect(functions.runs.last?.columns.upperBound == size.width)
            for (run, next) in zip(functions.runs, functions.runs.dropFirst()) {
                #expect(run.columns.upperBound == next.columns.lowerBound && run.kind != next.kind)
            }
            for run in functions.runs {
                kinds.insert(run.kind)
                var found = [Float](repeating: run.kind == .opaque ? 1 : 0, count: size.width)
                if run.kind == .mixed {
                    withRow(guide) { functions.write(y, columns: run.columns, guide: $0, into: &found) }
                }
                for x in run.columns {
                    let place = y * size.width + x
                    let exact = (0..<3).reduce(offset[place]) { $0 + slope[$1][place] * guide[$1][x] }
                    #expect(abs(min(max(found[x], 0), 1) - min(max(exact, 0), 1)) < 1e-5)
                }
            }
        }
        #expect(kinds.count == 3)
    }

    // A patch that is opaque at one edge alone, where it fades.
    @Test func opaqueRunsMayLieInTheFadeAlone() {
        let frame = PixelBuffer.make(.gray8, width: 200, height: 40) { _, _, _, _ in 90 }
        var mask = ScalarMap(width: 50, height: 20)
        for i in mask.values.indices where i % 50 < 4 { mask.values[i] = 1 }
        for x in [0, 50, 100] {
            let settings = MaskRefiner.Settings(radius: 1, lumaVariance: 0.01, chromaVariance: 0.001, contrast: 1.3)
            let patch = MaskPatch(
                x: x, y: 0, width: 100, height: 40, of: frame,
                refiner: MaskRefiner(width: 50, height: 20, settings: settings), mask: mask,
                components: [ScalarMap(width: 50, height: 20, repeating: 0.35)], noise: .zero)
            let row = MaskRenderer().render([patch], over: VideoFrame(pixelBuffer: frame), format: .gray8).bytes()[
                4000..<4200]
            let first = row[4000 + x]
            #expect(x == 0 ? first == 255 : first > 0 && first < 64)
            #expect(row.enumerated().allSatisfy { $0.element == 0 || $0.offset >= x && $0.offset < x + 16 })
        }
    }

    private func withRow(_ guide: [[Float]], _ body: (ColorGuide.Row) -> Void) {
        guide[0].withUnsafeBufferPointer { luma in
            guide[1].withUnsafeBufferPointer { blue in
                guide[2].withUnsafeBufferPointer { red in
                    body(ColorGuide.Row(luma: luma.baseAddress!, blue: blue.baseAddress!, red: red.baseAddress!))
                }
            }
        }
    }

    private func enlarged(_ values: [Float], _ width: Int, _ height: Int, _ size: (width: Int, height: Int)) -> [Float]
    {
        let enlarger = MapEnlarger()
        enlarger.prepare(
            ScalarMap(width: width, height: height, values: values), width: size.width, height: size.height)
        var result: [Float] = []
        for y in 0..<size.height {
            var row = [Float](repeating: 0, count: size.width)
            enlarger.row(y, into: &row)
            result += row
        }
        return result
    }
}
