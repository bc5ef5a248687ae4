import MatteMetrics
import Testing

struct ConnectivityTests {
    @Test func aPartThatHangsTogetherWithNothing() {
        // The fourth pixel is in no shared part: l = 0, so phi is 1 - 1 in the mask and 1 in the truth.
        #expect(isNear(AlphaMatte([[1, 1, 0, 1, 0]]).conn(to: AlphaMatte([[1, 1, 0, 0, 0]])), 1e-3))
    }

    @Test func aSoftPartHangsTogetherAsFarAsItGoes() {
        // The last pixel is in the shared part up to 0.5: d is 0.5 in the truth and 0 in the mask.
        #expect(isNear(AlphaMatte([[1, 1, 0.5]]).conn(to: AlphaMatte([[1, 1, 1]])), 0.5e-3))
        // At 0.9 the truth's d is 0.1, which is less than 0.15.
        #expect(AlphaMatte([[1, 1, 0.9]]).conn(to: AlphaMatte([[1, 1, 1]])) == 0)
    }

    @Test func whatIsApartCountsInFull() {
        // The same difference in a part of its own: l = 0, d is 0.9 and 1.
        #expect(isNear(AlphaMatte([[1, 1, 0, 0.9]]).conn(to: AlphaMatte([[1, 1, 0, 1]])), 0.1e-3))
    }

    @Test func cornersDoNotConnect() {
        let truth = AlphaMatte([[1, 1, 0], [0, 0, 1]])
        #expect(isNear(AlphaMatte([[1, 1, 0], [0, 0, 0.9]]).conn(to: truth), 0.1e-3))
    }

    @Test func partsAreJoinedFromBelow() {
        let truth = AlphaMatte([[1, 0, 1], [1, 0, 1], [1, 1, 1]])
        #expect(AlphaMatte([[1, 0, 0.9], [1, 0, 1], [1, 1, 1]]).conn(to: truth) == 0)
        // Without the lower row there are two parts of two, and the left one comes first.
        let parts = AlphaMatte([[1, 0, 1], [1, 0, 1]])
        #expect(isNear(AlphaMatte([[1, 0, 0.9], [1, 0, 1]]).conn(to: parts), 0.1e-3))
    }

    @Test func theFirstOfEqualPartsIsTheOne() {
        #expect(AlphaMatte([[0.95, 0, 1]]).conn(to: AlphaMatte([[0.95, 0, 1]])) == 0)
        #expect(isNear(AlphaMatte([[1, 0, 0.9]]).conn(to: AlphaMatte([[1, 0, 1]])), 0.1e-3))
    }

    @Test func thresholdsThemselvesAreReached() {
        // 153/255 = 0.6 in both: l is 0.6 and d 0, as it would not be if 0.6 fell below its own threshold.
        let (mask, truth) = (AlphaMatte([[1, 1, 153.0 / 255]]), AlphaMatte([[1, 1, 190.0 / 255]]))
        // The truth's d is 37/255 = 0.145: nothing counts.
        #expect(mask.conn(to: truth) == 0)
    }

    @Test func agreesWithSciPy() {
        // scipy.ndimage.label on the same mattes.
        var mattes = RandomMattes()
        let (a, b) = (mattes.next(13, 11), mattes.next(13, 11))
        #expect(isNear(a.conn(to: b), 0.048517647058823526, 1e-7))
    }
}
