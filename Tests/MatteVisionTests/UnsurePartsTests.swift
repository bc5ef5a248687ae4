import Imaging
import Testing

@testable import MatteVision

struct UnsurePartsTests {
    private typealias Part = (x: Range<Int>, y: Range<Int>, value: Float)

    private func map(_ parts: Part...) -> ScalarMap {
        var map = ScalarMap(width: 66, height: 50)
        for part in parts {
            for y in part.y { for x in part.x { map.values[y * 66 + x] = part.value } }
        }
        return map
    }

    private func cleaned(_ map: ScalarMap) -> ScalarMap {
        var map = map
        map.emptyUnsureParts()
        return map
    }

    private let person: Part = (10..<30, 20..<50, 1)

    @Test func whatNowhereSaysPersonIsEmptied() {
        let ghost: Part = (40..<66, 30..<50, 0.45)
        #expect(cleaned(map(person, ghost)) == map(person))
        #expect(cleaned(map(ghost)) == map())
    }

    // Hair, and what is blurred by motion.
    @Test func whatIsOneWithAPersonStays() {
        let soft = map(person, (30..<45, 30..<50, 0.3))
        #expect(cleaned(soft) == soft)
        let several = map(person, (50..<56, 4..<9, 0.6))
        #expect(cleaned(several) == several)
    }

    // A network gives next to nothing all over a background.
    @Test func nextToNothingDoesNotConnect() {
        let haze: Part = (30..<48, 30..<50, 0.09)
        #expect(cleaned(map(person, haze, (48..<60, 30..<50, 0.3))) == map(person, haze))
        let wisp: Part = (30..<48, 30..<50, 0.11)
        let connected = map(person, wisp, (48..<60, 30..<50, 0.3))
        #expect(cleaned(connected) == connected)
    }
}
