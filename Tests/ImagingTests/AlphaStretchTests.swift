import Testing

@testable import Imaging

struct AlphaStretchTests {
    /// Rows of clear, opaque and soft stretches of many lengths.
    private static func row(_ width: Int, _ noise: inout Noise) -> [UInt8] {
        var row: [UInt8] = []
        while row.count < width {
            let length = Int.random(in: 1...200, using: &noise)
            switch Int.random(in: 0...3, using: &noise) {
            case 0: row += (0..<min(length, 9)).map { _ in UInt8.random(in: 0...255, using: &noise) }
            case 1: row += Array(repeating: 255, count: length)
            default: row += Array(repeating: 0, count: length)
            }
        }
        return Array(row.prefix(width))
    }

    @Test func copiedStretchesAreWhatBlendingGives() {
        var noise = Noise(state: 21)
        for width in [1, 63, 64, 65, 127, 128, 200, 640, 1001] {
            for _ in 0..<20 {
                let alpha = Self.row(width, &noise)
                let foreground = (0..<width).map { _ in UInt8.random(in: 0...255, using: &noise) }
                let background = (0..<width).map { _ in UInt8.random(in: 0...255, using: &noise) }
                var (found, expected) = (foreground, foreground)
                UInt8.blend(
                    foreground: foreground, background: background, alpha: alpha, into: &found, count: width)
                UInt8.blendEach(
                    foreground: foreground, background: background, alpha: alpha, into: &expected, count: width)
                #expect(found == expected)
            }
        }
    }

    // Bits beyond the lowest tell that something soft was there.
    @Test func softColumnsAreMarkedAndNoOthers() {
        var noise = Noise(state: 22)
        for width in [1, 64, 65, 300, 640] {
            let rows = (0..<4).map { _ in Self.row(width, &noise) }
            var bits = [UInt8](repeating: 0, count: width)
            for row in rows { AlphaStretch.add(row, to: &bits, count: width) }
            for x in 0..<width {
                let isSoft = rows.contains { $0[x] != 0 && $0[x] != 255 }
                #expect((bits[x] > 1) == isSoft, "column \(x) of \(width)")
            }
        }
    }

    @Test(arguments: [1, 63, 64, 65, 200]) func aRowIsClearWhereNothingIsSet(_ width: Int) {
        var row = [UInt8](repeating: 0, count: width)
        #expect(AlphaStretch.isClear(row, count: width))
        for x in 0..<width {
            row[x] = 1
            #expect(!AlphaStretch.isClear(row, count: width), "column \(x) of \(width)")
            #expect(AlphaStretch.isClear(row, count: x))
            row[x] = 0
        }
    }

    @Test func nothingButClearLiesOutside() {
        var noise = Noise(state: 23)
        for width in [1, 64, 128, 130, 640] {
            for _ in 0..<20 {
                let row = Self.row(width, &noise)
                let columns = AlphaStretch.unclear(row, width)
                #expect(0 <= columns.lowerBound && columns.upperBound <= width)
                #expect(row[..<columns.lowerBound].allSatisfy { $0 == 0 })
                #expect(row[columns.upperBound...].allSatisfy { $0 == 0 })
            }
            #expect(AlphaStretch.unclear(Array(repeating: 0, count: width), width).count < 64)
        }
    }
}
