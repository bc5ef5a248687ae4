import TestSupport
import Testing

@testable import Imaging

struct LetterboxTests {
    /// A frame of 64 by 100 pixels whose rows have these values of luma.
    private func frame(_ row: (Int) -> [UInt8], range: ColorDescription.Range = .limited) -> VideoFrame {
        var buffer = MutablePixelBuffer(format: .yuv420p, width: 64, height: 100)
        buffer.withMutablePlane(0) { plane in
            for y in 0..<100 { plane.row(y, as: UInt8.self).update(from: row(y), count: 64) }
        }
        return VideoFrame(pixelBuffer: buffer.publish(), pts: 0, color: ColorDescription(range: range))
    }

    private func even(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: 64) }

    private func boxed(_ picture: [UInt8], above: Int = 12, below: Int = 12, bar: UInt8 = 17) -> VideoFrame {
        frame { (above..<100 - below).contains($0) ? picture : even(bar) }
    }

    private func rows(_ frame: VideoFrame) -> Range<Int> {
        var letterbox = Letterbox()
        return letterbox.pictureRows(of: frame)
    }

    @Test func barsAreBlackAndEquallyHigh() {
        #expect(rows(boxed(even(90))) == 12..<88)
        #expect(rows(boxed(even(90), above: 13, below: 11)) == 13..<89)
        #expect(rows(boxed(even(90), above: 0, below: 0)) == 0..<100)
        #expect(rows(boxed(even(90), above: 12, below: 4)) == 0..<100)
        #expect(rows(boxed(even(90), above: 1, below: 1)) == 0..<100)
        #expect(rows(boxed(even(90), bar: 30)) == 0..<100)
        #expect(rows(frame { _ in even(16) }) == 0..<100, "a black frame shows none")
        #expect(rows(frame({ (12..<88).contains($0) ? even(90) : even(17) }, range: .full)) == 0..<100)
        #expect(rows(frame({ (12..<88).contains($0) ? even(90) : even(2) }, range: .full)) == 12..<88)
    }

    // Somebody before a black wall, who ends above the lower edge.
    @Test func aFewBrightPixelsAreNoPicturesEdge() {
        let person = [UInt8](repeating: 16, count: 54) + [UInt8](repeating: 120, count: 10)
        #expect(rows(boxed(person)) == 0..<100)
    }

    @Test func whatCodingLeavesInABarIsNoPicture() {
        let trace = [UInt8](repeating: 16, count: 61) + [UInt8](repeating: 40, count: 3)
        let coded = frame { y in (12..<88).contains(y) ? even(90) : y == 11 || y == 88 ? trace : even(16) }
        #expect(rows(coded) == 12..<88)
        let blurred = [UInt8](repeating: 16, count: 54) + [UInt8](repeating: 40, count: 10)
        let edge = frame { y in (12..<88).contains(y) ? even(90) : y == 88 ? blurred : even(16) }
        #expect(rows(edge) == 12..<89)
        var letterbox = Letterbox()
        #expect(letterbox.pictureRows(of: boxed(even(90))) == 12..<88)
        #expect(letterbox.pictureRows(of: coded) == 12..<88)
    }

    // A title before somebody on a dark stage.
    @Test func aTitleIsNoPicture() {
        var letterbox = Letterbox()
        let title =
            [UInt8](repeating: 16, count: 22) + [UInt8](repeating: 235, count: 20) + [UInt8](repeating: 16, count: 22)
        #expect(letterbox.pictureRows(of: boxed(title, above: 40, below: 40)) == 0..<100)
    }

    @Test func barsStayWhileTheyAreBlack() {
        var letterbox = Letterbox()
        #expect(letterbox.pictureRows(of: boxed(even(90))) == 12..<88)
        #expect(letterbox.pictureRows(of: boxed(even(16))) == 12..<88)
        #expect(letterbox.pictureRows(of: boxed(even(90), above: 0, below: 0)) == 0..<100)
        #expect(letterbox.pictureRows(of: boxed(even(16))) == 0..<100)
    }

    @Test func nobodyIsInTheBars() {
        let enlarger = MapEnlarger()
        let map = ScalarMap(width: 2, height: 2, values: [1, 1, 1, 1])
        enlarger.prepare(map, width: 64, height: 100)
        let patch = MaskPatch(x: 0, y: 0, width: 64, height: 100, enlarger: enlarger)
        let mask = MaskRenderer().render([patch], over: boxed(even(90)), format: .gray8)
        mask.withPlane(0) { plane in
            let values = (0..<100).map { plane.row($0, as: UInt8.self)[32] }
            #expect(values == (0..<100).map { (12..<88).contains($0) ? 255 : 0 })
        }
    }
}
