import Glibc
import Imaging
import Testing

@testable import Compositing

/// The band around the people, against distances measured one by one.
struct OutlineTests {
    private let width = 64
    private let height = 48

    private func blobs() -> PixelBuffer {
        mask(width: width, height: height) { x, y in
            let isIn = hypot(Double(x - 20), Double(y - 22)) < 9 || (50...53 ~= x && 10...40 ~= y) || (x, y) == (5, 40)
            return isIn ? 255 : 0
        }
    }

    private func distance(_ x: Int, _ y: Int, _ isPerson: [Int]) -> Double {
        var nearest = Double.infinity
        for other in isPerson.indices where isPerson[other] > 127 {
            nearest = min(nearest, hypot(Double(other % width - x), Double(other / width - y)))
        }
        return nearest
    }

    @Test(arguments: [0.5, 1, 2.4, 6, 11.7])
    func aBandIsAsWideAsItSays(_ band: Double) {
        let person = blobs()
        let shape = OutlineShape().grow(person, by: (band, band)).components(of: 0)
        let isPerson = person.components(of: 0)
        for y in 0..<height {
            for x in 0..<width {
                // From a pixel's centre to another's; half of each belongs to the band's sides.
                let expected = min(max(band + 1 - distance(x, y, isPerson), 0), 1) * 255
                #expect(abs(Double(shape[y * width + x]) - expected) < 1.5, "\(x) \(y)")
            }
        }
    }

    @Test func aWideBandIsNearlyAsWideAsItSays() {
        let person = blobs()
        let shape = OutlineShape().grow(person, by: (15, 15)).components(of: 0)
        let isPerson = person.components(of: 0)
        for y in 0..<height {
            // The single pixel is less than half of a cell.
            for x in 24..<width {
                let distance = distance(x, y, isPerson)
                if distance < 12.5 { #expect(shape[y * width + x] > 240, "\(x) \(y)") }
                if distance > 18 { #expect(shape[y * width + x] < 5, "\(x) \(y)") }
            }
        }
    }

    // One person at the left, and a pole three pixels wide that is lost in cells of eight.
    @Test func aWideBandLeavesPeopleAsTheyAre() {
        let people = mask(width: 160, height: 48) { x, _ in x < 20 || (121..<124).contains(x) ? 255 : 0 }
        let shape = OutlineShape()
        let clipped = shape.clip(people, to: shape.grow(people, by: (50, 50)))
        #expect(clipped.components(of: 0) == people.components(of: 0))
    }

    @Test func anEdgePixelIsMorePersonThanNot() {
        let person = mask(width: width, height: height) { x, _ in x < 20 ? 255 : x == 20 ? 191 : 0 }
        let shape = OutlineShape().grow(person, by: (5, 5)).components(of: 0)
        let beyond = (0..<width).map { Double(shape[10 * width + $0]) / 255 }.reduce(0, +)
        #expect(abs(beyond - 25.75) < 0.3)
    }

    @Test func theBandHasItsColourBehindThePeople() {
        let frame = VideoFrame(pixelBuffer: noise(.rgb24, width: width, height: height))
        let person = blobs()
        let color = RGBColor(red: 1, green: 0.4, blue: 0)
        // 48 rows are a fifteenth of the height that a width is told for.
        let result = Compositor().composite(
            frame, mask: person, over: .color(RGBColor(red: 0, green: 0, blue: 1)),
            effects: [.outline(width: 60, color: color)])
        let (values, isPerson) = (result.pixelBuffer.components(of: 0), person.components(of: 0))
        for place in isPerson.indices where isPerson[place] == 0 {
            let distance = distance(place % width, place / width, isPerson)
            let pixel = Array(values[3 * place..<3 * place + 3])
            if distance < 3.5 { #expect(pixel == [255, 102, 0]) }
            if distance > 5.1 { #expect(pixel == [0, 0, 255]) }
        }
    }

    @Test func nobodyHasNoOutline() {
        let empty = mask(width: width, height: height) { _, _ in 100 }
        #expect(OutlineShape().grow(empty, by: (6, 6)).components(of: 0).allSatisfy { $0 == 0 })
    }

    /// Row 5 of the trimap of a mask so many rows high.
    private func trimap(
        rows: Int, sampleAspectRatio: Rational = Rational(1, 1), _ alpha: (Int, Int) -> UInt8
    ) -> ArraySlice<Int> {
        let mask = mask(width: width, height: rows, alpha)
        let frame = VideoFrame(pixelBuffer: mask, sampleAspectRatio: sampleAspectRatio)
        return TrimapMaker().trimap(of: mask, for: frame).components(of: 0)[5 * width..<6 * width]
    }

    @Test func aTrimapIsOpenAroundEdgesAndWhereAlphaIsSoft() {
        // A picture 180 pixels high has a band of two.
        let soft = trimap(rows: 180) { x, _ in x < 30 ? 255 : x < 34 ? 128 : 0 }
        #expect(
            Array(soft) == Array(repeating: 255, count: 28) + Array(repeating: 128, count: 8)
                + Array(repeating: 0, count: 28))
        let hard = trimap(rows: 180) { x, _ in x < 30 ? 255 : 0 }
        #expect(hard.dropFirst(27).prefix(6) == [255, 128, 128, 128, 128, 0])
    }

    @Test func aTrimapsBandIsAsWideAsHighWherePixelsAreNotSquare() {
        let across = trimap(rows: 180, sampleAspectRatio: Rational(2, 1)) { x, _ in x < 30 ? 255 : 0 }
        #expect(across.dropFirst(28).prefix(4) == [255, 128, 128, 0])
        let down = trimap(rows: 180, sampleAspectRatio: Rational(2, 1)) { _, y in y < 4 ? 255 : 0 }
        #expect(down.allSatisfy { $0 == 128 })
    }

    /// Above 1080 rows bands are made of coarser cells.
    @Test func aSinglePixelOfATrimapIsOpenInLargePicturesToo() {
        for (alpha, around) in [(100, 255), (200, 0), (1, 0), (254, 255)] {
            for rows in [720, 1440, 2160] {
                let row = trimap(rows: rows) { x, y in UInt8(x == 31 && y == 5 ? alpha : around) }
                let value = row[row.startIndex + 31]
                #expect(value == (alpha == 1 ? 0 : alpha == 254 ? 255 : 128), "\(alpha) of \(rows)")
            }
        }
    }

    @Test func aScaledTrimapHasItsThreeValues() {
        let values: [UInt8] = [0, 1, 115, 128, 200, 254, 255]
        let scaled = mask(width: 7, height: 2) { x, _ in values[x] }
        let row = [0, 128, 128, 128, 128, 128, 255]
        #expect(TrimapMaker().trimap(ofScaled: scaled).components(of: 0) == row + row)
    }

    @Test func nothingOfThePeopleIsLeftBeyondTheirBand() {
        let frame = VideoFrame(pixelBuffer: noise(.gray8, width: width, height: height))
        let foggy = mask(width: width, height: height) { x, _ in x < 20 ? 255 : 100 }
        let black = RGBColor(red: 0, green: 0, blue: 0)
        let result = Compositor().composite(
            frame, mask: foggy, over: .color(black), effects: [.outline(width: 60, color: black)])
        let dark = Int(
            ColorConversion(format: .gray8, color: frame.color, width: width, height: height)
                .codeValues(red: 0, green: 0, blue: 0)[0])
        for x in 26..<width { #expect(result.pixelBuffer.components(of: 0)[10 * width + x] == dark) }
    }
}
