import Imaging
import Testing

@testable import MatteVision

/// Regions that shrink and grow again.
struct RegionPatienceTests {
    private let former = Rectangle(x: 0, y: 0, width: 9, height: 9)

    /// For how many frames in which a smaller region would do it does not shrink.
    private func pause(_ patience: RegionPatience) -> Int {
        var patience = patience
        return (0...1000).first { _ in patience.mayShrink() }!
    }

    @Test func itShrinksAtOnceUntilItHadToGrowAgain() {
        var patience = RegionPatience()
        patience.grow()
        #expect(pause(patience) == 0)
        for expected in [4, 8, 16, 32, 64, 128, 128] {
            patience.shrink(from: former)
            #expect(patience.former == former)
            patience.grow()
            #expect(patience.former == nil && pause(patience) == expected)
        }
    }

    @Test func itsWaitBeginsAnewWithAFrameForWhichItIsRight() {
        var patience = RegionPatience()
        patience.shrink(from: former)
        patience.grow()
        for _ in 1...10 {
            let shrinks = (1...3).map { _ in patience.mayShrink() }
            #expect(!shrinks.contains(true))
            patience.stay()
        }
        #expect(pause(patience) == 4)
    }

    @Test func whatItGrowsForLaterIsSomethingElse() {
        var patience = RegionPatience()
        patience.shrink(from: former)
        for _ in 1...5 { patience.stay() }
        #expect(patience.former == nil)
        patience.grow()
        #expect(pause(patience) == 0)
    }
}
