import Testing

@testable import MatteVision

struct ConnectedCellsTests {
    private func groups(_ rows: [String]) -> [Set<Int>] {
        ConnectedCells.groups(of: rows.joined().map { $0 == "#" }, columns: rows[0].count).map(Set.init)
    }

    @Test func cellsThatTouchAreAGroup() {
        #expect(groups(["....", "...."]).isEmpty)
        #expect(groups(["##..", "...#"]) == [[0, 1], [7]])
        #expect(groups(["#...", ".#..", "..#."]) == [[0, 5, 10]], "at corners, too")
    }

    @Test func rowsDoNotGoOnAtTheOtherSide() {
        #expect(groups(["...#", "#..."]) == [[3], [4]])
    }

    @Test func everyCellIsInOneGroup() {
        let rows = ["#.#.#", "#####", "#...#", ".....", "##.##"]
        let all = groups(rows)
        #expect(all.count == 3 && all.reduce(0) { $0 + $1.count } == rows.joined().count { $0 == "#" })
    }
}
