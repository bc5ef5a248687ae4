import Foundation
import Testing

@testable import Measuring

struct MeasuringTests {
    @Test func everySubjectHasItsTurnInEveryRound() {
        var turns: [String] = []
        let medians = Rounds(3).medians(of: ["a", "b"]) { subject -> Double in
            turns.append(subject)
            // The warm-up is far off, and the middle of a's rounds isn't the second.
            return ["a": [1000, 3, 1, 2], "b": [-1000, 10, 10, 40]][subject]![(turns.count - 1) / 2]
        }
        #expect(turns == ["a", "b", "a", "b", "a", "b", "a", "b"])
        #expect(medians == [2, 10])
    }

    @Test func theMeanCountsEveryTime() {
        var stopwatch = Stopwatch()
        #expect(stopwatch.meanCPUMilliseconds == 0)
        for count in [10, 400_000] {
            stopwatch.time { _ = (0..<count).reduce(into: 1.0) { $0 = sin($0 + Double($1)) } }
        }
        // Of two numbers the median is the mean.
        #expect(abs(stopwatch.meanCPUMilliseconds - stopwatch.medianCPUMilliseconds) < 1e-9)
    }

    @Test func withoutWarmUpEveryRoundCounts() {
        var turns = 0
        let results = Rounds(2, warmsUp: false).results(of: ["a"]) { subject -> Int in
            turns += 1
            return turns
        }
        #expect(results == [[1, 2]])
    }

    @Test func theSpreadOfFiveValuesHasTheSecondAndFourthAsQuartiles() {
        let spread = Spread([5, 1, 4, 2, 30])
        #expect(spread.count == 5)
        #expect(
            [spread.lowest, spread.lowerQuartile, spread.median, spread.upperQuartile, spread.highest] == [
                1, 2, 4, 5, 30,
            ])
    }

    @Test func quantilesBetweenTwoValuesLieOnTheLineBetweenThem() {
        let spread = Spread([4, 0])
        #expect(
            [spread.lowest, spread.lowerQuartile, spread.median, spread.upperQuartile, spread.highest] == [
                0, 1, 2, 3, 4,
            ])
        #expect(Spread([4, 1, 2, 3]).median == 2.5)
        let single = Spread([7])
        #expect(Set([single.lowest, single.lowerQuartile, single.median, single.upperQuartile, single.highest]) == [7])
    }

    @Test func tablesAreMarkdown() {
        let table = MarkdownTable(["", "a"], [["x", "1"], ["", "–"]])
        #expect(table.markdown == "| | a |\n|---|---|\n| x | 1 |\n| | – |")
    }

    @Test func theMachineIsNamed() {
        let cpuInfo = "processor\t: 0\nmodel\t\t: 1\nmodel name\t: CPU: 3 @ 2.80GHz\n\nmodel name\t: other\n"
        #expect(Machine.description(cpuInfo: cpuInfo, coreCount: 2) == "CPU: 3 @ 2.80GHz, 2 cores")
        #expect(Machine.description(cpuInfo: "", coreCount: 1) == "a CPU without a name, 1 core")
    }

    @Test func jsonComesBackAsItWasAndOtherFilesAreNamed() throws {
        let folder = try WorkingFolder()
        let path = folder.path("a/b.json")
        #expect(throws: BenchmarkError(cannotWrite: path)) { try JSONFile.write([1], to: path) }
        #expect(throws: BenchmarkError("can't read '\(path)': it is not there; name another file")) {
            try JSONFile.read([Int].self, from: path)
        }
        let other = folder.path("b.json")
        try JSONFile.write(["x/y": Spread([1, 2, 4])], to: other)
        #expect(try JSONFile.read([String: Spread].self, from: other) == ["x/y": Spread([1, 2, 4])])
        #expect(throws: BenchmarkError("can't read '\(other)': it is not what a benchmark writes; name another file")) {
            try JSONFile.read([Int].self, from: other)
        }
    }
}
