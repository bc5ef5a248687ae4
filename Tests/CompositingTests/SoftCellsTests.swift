import Imaging
import Testing

@testable import Compositing

struct SoftCellsTests {
    private func cells(_ alpha: PixelBuffer, _ horizontalShift: Int = 3, _ verticalShift: Int = 2) -> SoftCells {
        var cells = SoftCells()
        alpha.withPlane(0) { cells.find(in: $0, horizontalShift: horizontalShift, verticalShift: verticalShift) }
        return cells
    }

    private func marked(_ runs: CellRuns) -> [[Int]] {
        (0..<runs.rows).map { row in runs[row].flatMap { Array($0) } }
    }

    @Test func hardEdgesAreNotSoft() {
        #expect(cells(mask(width: 61, height: 33) { x, y in (x + y) % 3 == 0 ? 255 : 0 }).soft.isEmpty)
    }

    @Test func everyValueBetweenIsSoft() {
        for value in 1...254 as ClosedRange<UInt8> {
            let found = cells(mask(width: 21, height: 9) { x, y in (x, y) == (20, 8) ? value : 255 })
            #expect(marked(found.soft) == [[], [], [2]])
        }
    }

    @Test func theCellsAroundAreNear() {
        let found = cells(mask(width: 80, height: 40) { x, y in (x, y) == (17, 13) ? 9 : 0 })
        #expect(marked(found.soft) == [[], [], [], [2], [], [], [], [], [], []])
        #expect(marked(found.levels[0]) == [[], [], [1, 2, 3], [1, 2, 3], [1, 2, 3], [], [], [], [], []])
        #expect(marked(found.levels[1]) == [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2], []])
        #expect(found.levels.map(\.columns) == [10, 5, 3, 2, 1] && found.levels.map(\.rows) == [10, 5, 3, 2, 1])
    }
}
