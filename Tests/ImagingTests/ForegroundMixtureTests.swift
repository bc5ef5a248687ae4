import Testing

@testable import Imaging

struct ForegroundMixtureTests {
    private struct Row {
        var components: [Int]
        var alpha: [UInt8]
        var colors: [[Float]]
        var fraction: Float
    }

    private func separate<T: PixelComponent>(_ row: Row, peak: T) -> [Int] {
        var target = [T](repeating: 0, count: row.alpha.count)
        let (upperForeground, lowerForeground) = (row.colors[0], row.colors[1])
        let (upperBackground, lowerBackground) = (row.colors[2], row.colors[3])
        upperForeground.withUnsafeBufferPointer { upperForeground in
            lowerForeground.withUnsafeBufferPointer { lowerForeground in
                upperBackground.withUnsafeBufferPointer { upperBackground in
                    lowerBackground.withUnsafeBufferPointer { lowerBackground in
                        let mixture = ForegroundMixture(
                            upperForeground: upperForeground.baseAddress!,
                            lowerForeground: lowerForeground.baseAddress!,
                            upperBackground: upperBackground.baseAddress!,
                            lowerBackground: lowerBackground.baseAddress!, fraction: row.fraction)
                        T.separate(
                            row.components.map { T($0) }, alpha: row.alpha, mixture: mixture, peak: peak,
                            into: &target, count: row.alpha.count)
                    }
                }
            }
        }
        return target.map { Int($0) }
    }

    private func reference(_ row: Row, _ x: Int, peak: Int) -> Double {
        let a = Double(row.alpha[x]) / 255
        let t = Double(row.fraction)
        let foreground = Double(row.colors[0][x]) * (1 - t) + Double(row.colors[1][x]) * t
        let background = Double(row.colors[2][x]) * (1 - t) + Double(row.colors[3][x]) * t
        let rest = Double(row.components[x]) - foreground * a - background * (1 - a)
        return min(max(foreground + a * a * (3 - 2 * a) * rest, 0), Double(peak))
    }

    @Test(arguments: [8, 10, 16])
    func everyAlphaIsSeparatedAsTheFormulaSays(_ bits: Int) {
        let peak = (1 << bits) - 1
        var noise = Noise(state: 3)
        for fraction in [0, 0.25, 1] as [Float] {
            func color() -> [Float] { (0...255).map { _ in Float.random(in: 0...Float(peak), using: &noise) } }
            let row = Row(
                components: (0...255).map { _ in Int.random(in: 0...peak, using: &noise) }, alpha: Array(0...255),
                colors: [color(), color(), color(), color()], fraction: fraction)
            let found = bits == 8 ? separate(row, peak: UInt8(peak)) : separate(row, peak: UInt16(peak))
            for x in 0...255 { #expect(abs(Double(found[x]) - reference(row, x, peak: peak)) <= 0.51) }
        }
    }

    @Test func fullAlphaGivesEveryComponentBack() {
        var noise = Noise(state: 4)
        func color() -> [Float] { (0...65535).map { _ in Float.random(in: 0...65535, using: &noise) } }
        let row = Row(
            components: Array(0...65535), alpha: Array(repeating: 255, count: 65536),
            colors: [color(), color(), color(), color()], fraction: 0.3)
        #expect(separate(row, peak: UInt16.max) == row.components)
    }

    @Test func noiseIsNotAmplified() {
        let flat = [Float](repeating: 90, count: 256)
        let far = [Float](repeating: 150, count: 256)
        let rows = [120, 124].map { value in
            Row(
                components: Array(repeating: value, count: 256), alpha: Array(0...255), colors: [flat, flat, far, far],
                fraction: 0)
        }
        let (quiet, loud) = (separate(rows[0], peak: UInt8.max), separate(rows[1], peak: UInt8.max))
        for x in 0...255 { #expect((0...4).contains(loud[x] - quiet[x])) }
    }

    @Test func weightedSumsAreExact() {
        var noise = Noise(state: 5)
        let weights = (0..<37).map { _ in UInt8.random(in: 0...255, using: &noise) }
        let bytes = (0..<37).map { _ in UInt8.random(in: 0...255, using: &noise) }
        let words = (0..<37).map { _ in UInt16.random(in: 0...65535, using: &noise) }
        var sums = [UInt32](repeating: 5, count: 37)
        UInt8.addWeighted(bytes, weights: weights, to: &sums, count: 37)
        UInt16.addWeighted(words, weights: weights, to: &sums, count: 37)
        for x in 0..<37 {
            #expect(Int(sums[x]) == 5 + (Int(bytes[x]) + Int(words[x])) * Int(weights[x]))
        }
    }
}
