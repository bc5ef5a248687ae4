import MatteMetrics
import Testing

struct MatteMeterTests {
    private let black = AlphaMatte([[0, 0], [0, 0]])
    private let dot = AlphaMatte([[1, 0], [0, 0]])

    @Test func meansAreOverFramesAndTheFirstHasNoChange() throws {
        var meter = MatteMeter()
        #expect(meter.scores == nil)
        #expect(meter.add(black, truth: black) == 0)
        #expect(meter.add(dot, truth: black) == 250)
        let scores = try #require(meter.scores)
        #expect(meter.frameCount == 2)
        #expect(scores.mad == 125)
        #expect(scores.mse == 125)
        #expect(scores.dtssd == 25)
        #expect(scores.iou == 0.5)
        #expect(isNear(scores.conn, 0.5e-3))
    }

    @Test func gradAndConnAreOfEveryNthFrame() throws {
        var meter = MatteMeter(every: 2)
        for mask in [dot, black, dot, black] { meter.add(mask, truth: black) }
        let scores = try #require(meter.scores)
        #expect(isNear(scores.conn, 1e-3))
        #expect(isNear(scores.grad, dot.grad(to: black)))
        #expect(scores.mad == 125)
    }

    @Test func theMeanOfClipsWeighsThemAlike() throws {
        let a = MatteScores(mad: 1, mse: 2, grad: 3, conn: 4, dtssd: 5, iou: 0.5)
        let b = MatteScores(mad: 3, mse: 4, grad: 5, conn: 6, dtssd: 7, iou: 1)
        let mean = MatteScores(mad: 2, mse: 3, grad: 4, conn: 5, dtssd: 6, iou: 0.75)
        #expect(MatteScores.mean(of: [a, b]) == mean)
        #expect(MatteScores.mean(of: []) == nil)
    }
}
