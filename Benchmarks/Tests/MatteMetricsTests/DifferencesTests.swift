import MatteMetrics
import Testing

struct DifferencesTests {
    private let mask = AlphaMatte([[0, 0.5], [1, 1]])
    private let truth = AlphaMatte([[0, 1], [1, 0.75]])

    @Test func madAndMSEOfHandWorkedMattes() {
        // Differences 0, 0.5, 0, 0.25: their sum is 0.75, the sum of their squares 0.25 + 0.0625 = 0.3125; over 4 pixels.
        #expect(mask.mad(to: truth) == 187.5)
        #expect(mask.mse(to: truth) == 78.125)
    }

    @Test func oppositeMattesDifferByAThousand() {
        let (black, white) = (AlphaMatte(5, 3) { _, _ in 0 }, AlphaMatte(5, 3) { _, _ in 1 })
        #expect(black.mad(to: white) == 1000)
        #expect(black.mse(to: white) == 1000)
        #expect(black.iou(to: white) == 0)
    }

    @Test func iouCountsWhatIsMoreThanOneHalf() {
        // Of the mask 0.6 and 1 count and 0.5 does not, of the truth the first three: 2 of 3.
        #expect(AlphaMatte([[0.5, 0.6, 1, 0]]).iou(to: AlphaMatte([[1, 1, 1, 0]])) == 2.0 / 3)
        #expect(AlphaMatte([[1, 1, 0, 0]]).iou(to: AlphaMatte([[0, 1, 1, 1]])) == 0.25)
        #expect(AlphaMatte([[0.5, 0.1]]).iou(to: AlphaMatte([[0, 0]])) == 1)
    }

    @Test func dtssdOfAHandWorkedFlicker() {
        // One of four pixels appears while the truth stands still: the root of 1/4, times 100.
        let (before, after) = (AlphaMatte([[0, 0], [0, 0]]), AlphaMatte([[1, 0], [0, 0]]))
        #expect(after.dtssd(since: before, truth: truth, since: truth) == 50)
        // It appears in the mask and disappears in the truth: the changes are 1 and -1 in one pixel, the root of 4/4.
        #expect(after.dtssd(since: before, truth: before, since: after) == 100)
    }

    @Test func dtssdKnowsNoSteadyError() {
        let (before, after) = (AlphaMatte([[0.25, 0]]), AlphaMatte([[0.75, 0.5]]))
        let (truthBefore, truthAfter) = (AlphaMatte([[0.5, 0.25]]), AlphaMatte([[1, 0.75]]))
        #expect(after.dtssd(since: before, truth: truthAfter, since: truthBefore) == 0)
    }

    @Test func everyMetricIsSymmetricAndPerfectForEqualMattes() {
        var mattes = RandomMattes()
        for (width, height) in [(1, 1), (1, 9), (17, 1), (23, 14)] {
            let (a, b) = (mattes.next(width, height), mattes.next(width, height))
            for metric in [AlphaMatte.mad, AlphaMatte.mse, AlphaMatte.grad, AlphaMatte.conn] {
                #expect(metric(a)(a) == 0)
                #expect(isNear(metric(a)(b), metric(b)(a)))
            }
            #expect(a.iou(to: a) == 1)
            #expect(a.iou(to: b) == b.iou(to: a))
            #expect(a.dtssd(since: b, truth: a, since: b) == 0)
            #expect(a.dtssd(since: b, truth: b, since: a) == b.dtssd(since: a, truth: a, since: b))
        }
    }
}
