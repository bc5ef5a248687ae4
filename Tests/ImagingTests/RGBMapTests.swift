import Testing

@testable import Imaging

struct RGBMapTests {
    @Test func aMirrorExchangesLeftAndRight() {
        var map = RGBMap(width: 3, height: 2)
        for i in map.values.indices { map.values[i] = Float(i) }
        #expect(map.mirrored.values == [6, 7, 8, 3, 4, 5, 0, 1, 2, 15, 16, 17, 12, 13, 14, 9, 10, 11])
        #expect(map.mirrored.mirrored == map)
    }
}
