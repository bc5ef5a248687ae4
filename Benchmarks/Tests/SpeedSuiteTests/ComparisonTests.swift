import Foundation
import Measuring
import Testing

@testable import SpeedSuite

struct ComparisonTests {
    private func figure(
        _ subject: String, better: Figure.Direction = .more, travels: Bool = true, part: Part = .program,
        _ values: [Double]
    ) -> Figure {
        Figure(.init(part, "clip", subject, "ratio"), better: better, travels: travels, values)
    }

    private func baseline(_ figures: [Figure]) -> Baseline {
        var baseline = Baseline()
        baseline.update(with: figures)
        return baseline
    }

    @Test func aRunIsNoWorseThanItself() {
        let figures = [figure("a", [0.9, 1, 1.1]), figure("b", better: .less, [0])]
        let comparison = Comparison(figures, with: baseline(figures))
        #expect(comparison.worse.isEmpty && comparison.better.isEmpty && comparison.new.isEmpty)
        #expect(comparison.gone.isEmpty)
        #expect(comparison.lines == ["Nothing that was known changed since the baseline."])
    }

    @Test(arguments: [Figure.Direction.more, .less])
    func whichWayIsWorseDependsOnTheFigure(_ better: Figure.Direction) {
        let before = baseline([figure("a", better: better, [1])])
        let (higher, lower) = (figure("a", better: better, [1.06]), figure("a", better: better, [0.94]))
        let (good, bad) = better == .more ? (higher, lower) : (lower, higher)
        #expect(Comparison([good], with: before).better.map(\.name) == [good.name])
        #expect(Comparison([good], with: before).worse.isEmpty)
        #expect(Comparison([bad], with: before).worse.map(\.name) == [bad.name])
        #expect(Comparison([bad], with: before).better.isEmpty)
    }

    @Test func aTwentiethIsNoChange() {
        let before = baseline([figure("a", [10])])
        for value in [9.51, 10.49] {
            let comparison = Comparison([figure("a", [value])], with: before)
            #expect(comparison.worse.isEmpty && comparison.better.isEmpty)
        }
    }

    @Test func middleHalvesThatMeetAreNoChange() {
        let before = baseline([figure("a", [8, 9, 10, 11, 12])])
        let meeting = figure("a", [7, 8, 8.5, 9.1, 30])
        #expect(Comparison([meeting], with: before).worse.isEmpty)
        // One round that went well hides nothing.
        let apart = figure("a", [7, 8, 8.5, 8.9, 30])
        #expect(Comparison([apart], with: before).worse.map(\.name) == [apart.name])
    }

    @Test func somethingIsWorseThanNothing() {
        let before = baseline([figure("a", better: .less, [0])])
        #expect(Comparison([figure("a", better: .less, [0.01])], with: before).worse.isEmpty)
        #expect(Comparison([figure("a", better: .less, [1])], with: before).worse.count == 1)
    }

    @Test func whatIsNewOrGoneIsTold() {
        let before = baseline([figure("a", [1]), figure("b", part: .kernels, [1])])
        let comparison = Comparison([figure("c", [1]), figure("d", travels: false, [1])], with: before)
        #expect(comparison.new.map(\.subject) == ["c"])
        // Of a part that was not measured nothing is missing.
        #expect(comparison.gone == ["program / clip / a / ratio"])
        #expect(
            comparison.lines == [
                "Nothing that was known changed since the baseline.", "  1 figures are new to it.",
                "  gone    program / clip / a / ratio",
            ])
    }

    @Test func changesAreToldWithTheirSpread() {
        let before = baseline([figure("a", [1, 2, 3])])
        let lines = Comparison([figure("a", [0.5, 0.5, 0.625])], with: before).lines
        #expect(
            lines == [
                "1 worse, 0 better than the baseline.",
                "  worse   program / clip / a / ratio: 2 (1…3) before, 0.5 (0.5…0.625) now",
            ])
    }

    @Test func theBaselineComesBackFromItsFileWithFourDigits() throws {
        let folder = try WorkingFolder()
        let before = baseline([figure("a", [1.0 / 3, 2, 123_456])])
        try before.write(to: folder.path("baseline.json"))
        let after = try Baseline(path: folder.path("baseline.json"))
        #expect(after == before)
        let spread = try #require(after.ratios["program / clip / a / ratio"])
        #expect(spread.lowest == 0.3333 && spread.median == 2 && spread.highest == 123_500)
    }

    @Test func anUpdateReplacesThePartsThatWereMeasuredAlone() {
        var all = baseline([figure("a", [1]), figure("b", part: .kernels, [1])])
        all.update(with: [figure("c", [2]), figure("d", travels: false, [2])])
        #expect(all.ratios.keys.sorted() == ["kernels / clip / b / ratio", "program / clip / c / ratio"])
    }
}
