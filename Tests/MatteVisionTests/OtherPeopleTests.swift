import Imaging
import Testing

@testable import MatteVision

struct OtherPeopleTests {
    private func map(_ isSet: (Int, Int) -> Bool) -> ScalarMap {
        var map = ScalarMap(width: 96, height: 64)
        for y in 0..<64 { for x in 0..<96 where isSet(x, y) { map.values[y * 96 + x] = 1 } }
        return map
    }

    /// 16 by 48 pixels.
    private func isBody(_ x: Int, _ y: Int) -> Bool { (16..<32).contains(x) && (8..<56).contains(y) }

    // What a body, in full or not, and a mask make of each other.
    private func joined(_ mask: ScalarMap, weight: Float = 1) -> ScalarMap {
        let body = map(isBody)
        var joined = body
        OtherPeople(in: mask, besides: body).join(mask, to: &joined, weight: weight)
        return joined
    }

    @Test func bodiesAndAMaskCountAlike() {
        let half = ScalarMap(width: 96, height: 64, values: map(isBody).values.map { $0 / 2 })
        #expect(joined(map { _, _ in false }) == half)
        #expect(joined(map { _, _ in false }, weight: 0.5).values.max() == 0.25)
        #expect(joined(map { _, _ in false }, weight: 0).values.max() == 0)
        #expect(joined(map(isBody)) == map(isBody))
    }

    @Test func somebodyElseIsLeftToTheMask() {
        // An eighth of the body, far from it, and a body that is seen badly.
        func isOther(_ x: Int, _ y: Int) -> Bool { (64..<72).contains(x) && (8..<20).contains(y) }
        let result = joined(map(isOther))
        for y in 0..<64 {
            for x in 0..<96 { #expect(result.values[y * 96 + x] == (isOther(x, y) ? 1 : isBody(x, y) ? 0.5 : 0)) }
        }
    }

    @Test func whatIsSmallIsTheNetworksMistake() {
        // 48 pixels of the body's 768.
        func isCrumb(_ x: Int, _ y: Int) -> Bool { (64..<72).contains(x) && (8..<14).contains(y) }
        #expect(joined(map(isCrumb)).values[10 * 96 + 66] == 0.5)
    }

    @Test func rimsAreNobody() {
        // Three pixels on all sides.
        let result = joined(map { x, y in (13..<35).contains(x) && (5..<59).contains(y) })
        #expect(result.values[30 * 96 + 14] == 0.5 && result.values[30 * 96 + 20] == 1)
    }

    @Test func whoIsBesideSomebodyIsNotCutOff() {
        // Right beside the body: pixels next to them are the mask's, too, in the body's own cells.
        let result = joined(map { x, y in (32..<48).contains(x) && (24..<56).contains(y) })
        let row = result.values[40 * 96..<41 * 96]
        #expect([40, 28, 20].map { row[row.startIndex + $0] } == [1, 0, 0.5])
    }

    @Test func whereNoBodyIsInSightTheMaskIsRight() {
        var nobody = map { _, _ in false }
        let mask = map(isBody)
        OtherPeople(in: mask, besides: nobody).join(mask, to: &nobody, weight: 1)
        #expect(nobody == mask)
    }
}
