import Imaging
import Testing

@testable import MatteVision

struct WindowMemoryTests {
    /// Each part of the thumbnail is 10 pixels wide and high.
    private let frame = RGBPicture.gray(width: 640, height: 360).frame()
    private let whole = Rectangle(x: 0, y: 0, width: 640, height: 360)
    private let left = Rectangle(x: 0, y: 0, width: 320, height: 360)

    /// A gray thumbnail, brighter by `change` in the first `rows` of column `x`.
    private func thumbnail(_ x: Int = 0, rows: Int = 0, by change: Float = 0.1, light: Float = 0.4) -> ScalarMap {
        var map = ScalarMap(width: 64, height: 36, repeating: light)
        for y in 0..<rows { map.values[y * 64 + x] += change }
        return map
    }

    /// Whether a look at `window` is worthwhile when `thumbnail` follows the plain one in which it was looked at.
    private func isWorthwhile(
        _ window: Rectangle, _ thumbnail: ScalarMap, of frame: VideoFrame? = nil, besides known: [Rectangle] = []
    ) -> Bool {
        var memory = WindowMemory()
        memory.look(1, self.thumbnail())
        return memory.isWorthwhile(1, window, of: frame ?? self.frame, thumbnail, besides: known)
    }

    @Test func whatHasNotChangedIsNotLookedAtAgain() {
        #expect(!isWorthwhile(whole, thumbnail()))
        #expect(!isWorthwhile(whole, thumbnail(20, rows: 36, by: 0.04)), "noise")
        #expect(!isWorthwhile(whole, thumbnail(20, rows: 2)))
        #expect(isWorthwhile(whole, thumbnail(20, rows: 3)))
        #expect(isWorthwhile(whole, thumbnail(20, rows: 3, by: -0.1)))
    }

    @Test func inLittleLightLessIsAChange() {
        for (light, isChange) in [(Float(0.4), false), (0.08, true)] {
            var memory = WindowMemory()
            memory.look(1, thumbnail(light: light))
            let brighter = thumbnail(20, rows: 3, by: 0.03, light: light)
            #expect(memory.isWorthwhile(1, whole, of: frame, brighter, besides: []) == isChange)
        }
    }

    @Test func changesCountWithinTheWindowAndBesidesThoseWhoAreKnown() {
        #expect(isWorthwhile(left, thumbnail(31, rows: 36)))
        #expect(!isWorthwhile(left, thumbnail(32, rows: 36)))
        let known = Rectangle(x: 310, y: 0, width: 10, height: 340)
        #expect(
            !isWorthwhile(left, thumbnail(31, rows: 36), besides: [known]), "two parts are not those of known people")
        #expect(isWorthwhile(left, thumbnail(30, rows: 36), besides: [known]))
    }

    // Windows are upright, thumbnails as frames are stored.
    @Test func aFrameThatIsShownTurnedIsMeasuredAsItIsShown() {
        let turned = frame.turned(by: 1)
        let upper = Rectangle(x: 0, y: 0, width: 360, height: 320)
        #expect(isWorthwhile(upper, thumbnail(31, rows: 36), of: turned))
        #expect(!isWorthwhile(upper, thumbnail(32, rows: 36), of: turned))
    }

    @Test func everyWindowIsLookedAtNowAndThen() {
        var memory = WindowMemory()
        // Whether looks at the whole frame, which stays the same, are worthwhile.
        func looks(_ count: Int) -> [Bool] {
            (0..<count).map { _ in
                let isWorthwhile = memory.isWorthwhile(0, whole, of: frame, thumbnail(), besides: [])
                if isWorthwhile { memory.look(0, thumbnail()) }
                return isWorthwhile
            }
        }
        #expect(looks(9) == [true, false, false, false, true, false, false, false, true])
        let isOtherWorthwhile = memory.isWorthwhile(1, left, of: frame, thumbnail(), besides: [])
        #expect(isOtherWorthwhile, "not seen yet")
        memory.reset()
        #expect(looks(2) == [true, false])
    }

    @Test func changesAreThoseSinceTheLastLook() {
        var memory = WindowMemory()
        memory.look(0, thumbnail())
        memory.look(0, thumbnail(20, rows: 9))
        let isSame = !memory.isWorthwhile(0, whole, of: frame, thumbnail(20, rows: 9), besides: [])
        let isBack = memory.isWorthwhile(0, whole, of: frame, thumbnail(), besides: [])
        #expect(isSame && isBack)
    }
}
