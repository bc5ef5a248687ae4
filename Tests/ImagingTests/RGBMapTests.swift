import Testing

@testable import Imaging

struct RGBMapTests {
    @Test func aMirrorExchangesLeftAndRight() {
        var map = RGBMap(width: 3, height: 2)
        for i in map.values.indices { map.values[i] = Float(i) }
        var mirrored = RGBMap(width: 1, height: 1)
        mirrored.mirror(map)
        #expect(mirrored.values == [6, 7, 8, 3, 4, 5, 0, 1, 2, 15, 16, 17, 12, 13, 14, 9, 10, 11])
        var back = RGBMap(width: 5, height: 5)
        back.mirror(mirrored)
        #expect(back == map)
    }
}
