import Testing

@testable import Imaging

struct LumaTests {
    private func sampled(_ picture: PixelBuffer, _ columns: Int, _ rows: Int) -> [Float] {
        var values = [Float](repeating: -1, count: columns * rows)
        Luma.sample(picture, columns: columns, rows: rows, into: &values)
        return values
    }

    @Test(arguments: [PixelFormat.gray8, .yuv420p, .yuv420p10, .nv12, .rgb24, .bgra], [(8, 8), (13, 9), (1, 1)])
    func aPlainPictureIsItsLumaEverywhere(_ format: PixelFormat, _ size: (width: Int, height: Int)) {
        let luma = format.colorModel == .rgb ? format.redGreenBlue[1] : 0
        let picture = PixelBuffer.make(format, width: size.width, height: size.height) { plane, component, _, _ in
            plane == 0 && component == luma ? 60 : 7
        }
        let value = 60 / Float((1 << format.bitDepth) - 1)
        #expect(sampled(picture, 5, 4).allSatisfy { abs($0 - value) < 1e-6 })
    }

    @Test func eachPartIsTheMeanOfItsPoints() {
        let picture = PixelBuffer.make(.gray8, width: 16, height: 8) { _, _, x, y in 10 * x + y }
        // Points at 1 and 3 of each four columns, and of each four rows.
        let expected: [Float] = [22, 62, 102, 142, 26, 66, 106, 146].map { $0 / 255 }
        #expect(near(sampled(picture, 4, 2), expected, 1e-6))
    }
}
