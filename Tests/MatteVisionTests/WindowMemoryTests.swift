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

    /// Whether `window` has changed when `thumbnail` follows the plain one in which it was looked at.
    private func hasChanged(
        _ window: Rectangle, _ thumbnail: ScalarMap, of frame: VideoFrame? = nil, besides known: [Rectangle] = []
    ) -> Bool {
        var memory = WindowMemory()
        memory.look(1, self.thumbnail())
        return memory.hasChanged(1, window, in: frame ?? self.frame, thumbnail, besides: known)
    }

    @Test func whatHasNotChangedIsNotLookedAtAgain() {
        #expect(!hasChanged(whole, thumbnail()))
        #expect(!hasChanged(whole, thumbnail(20, rows: 36, by: 0.04)), "noise")
        #expect(!hasChanged(whole, thumbnail(20, rows: 2)))
        #expect(hasChanged(whole, thumbnail(20, rows: 3)))
        #expect(hasChanged(whole, thumbnail(20, rows: 3, by: -0.1)))
    }

    @Test func inLittleLightLessIsAChange() {
        for (light, isChange) in [(Float(0.4), false), (0.08, true)] {
            var memory = WindowMemory()
            memory.look(1, thumbnail(light: light))
            let brighter = thumbnail(20, rows: 3, by: 0.03, light: light)
            #expect(memory.hasChanged(1, whole, in: frame, brighter, besides: []) == isChange)
        }
    }

    @Test func changesCountWithinTheWindowAndBesidesThoseWhoAreKnown() {
        #expect(hasChanged(left, thumbnail(31, rows: 36)))
        #expect(!hasChanged(left, thumbnail(32, rows: 36)))
        let known = Rectangle(x: 310, y: 0, width: 10, height: 340)
        #expect(
            !hasChanged(left, thumbnail(31, rows: 36), besides: [known]), "two parts are not those of known people")
        #expect(hasChanged(left, thumbnail(30, rows: 36), besides: [known]))
    }

    // Windows are upright, thumbnails as frames are stored.
    @Test func aFrameThatIsShownTurnedIsMeasuredAsItIsShown() {
        let turned = frame.turned(by: 1)
        let upper = Rectangle(x: 0, y: 0, width: 360, height: 320)
        #expect(hasChanged(upper, thumbnail(31, rows: 36), of: turned))
        #expect(!hasChanged(upper, thumbnail(32, rows: 36), of: turned))
    }

    @Test func everyWindowIsLookedAtNowAndThen() {
        var memory = WindowMemory()
        memory.see(1, thumbnail())
        #expect(memory.isDue(1, period: 5) && memory.isDue(2, period: 5), "what was not looked at yet")
        /// In which of so many searches the window is due.
        func searches(_ count: Int) -> [Int] {
            (0..<count).filter { _ in
                memory.advance()
                let isDue = memory.isDue(1, period: 5)
                if isDue { memory.look(1, thumbnail()) }
                return isDue
            }
        }
        #expect(searches(50) == [0, 20, 40])
        #expect(memory.isChangeFirst != WindowMemory().isChangeFirst)
        memory.reset()
        #expect(memory.isDue(1, period: 5) && memory.isChangeFirst == WindowMemory().isChangeFirst, "as fresh")
    }

    @Test func whatHasChangedIsLookedAtAFewTimes() {
        let changed = thumbnail(20, rows: 9)
        func hasChanged(_ memory: WindowMemory, _ thumbnail: ScalarMap) -> Bool {
            memory.hasChanged(0, whole, in: frame, thumbnail, besides: [])
        }
        var memory = WindowMemory()
        #expect(!hasChanged(memory, changed), "nothing is known of before")
        memory.see(0, thumbnail())
        #expect(hasChanged(memory, changed) && !hasChanged(memory, thumbnail()))
        memory.look(0, thumbnail())
        for _ in 1...3 {
            #expect(hasChanged(memory, changed))
            memory.look(0, changed)
        }
        #expect(!hasChanged(memory, changed) && hasChanged(memory, thumbnail()))
    }

    @Test func whatChangesAllTheTimeDoesNotTakeAllTurns() {
        var memory = WindowMemory()
        let isChangeFirst = (0..<6).map { _ in
            memory.advance()
            return memory.isChangeFirst
        }
        #expect(isChangeFirst == [true, true, false, true, true, false])
    }
}
