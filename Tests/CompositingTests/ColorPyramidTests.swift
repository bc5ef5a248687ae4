import Imaging
import Testing

@testable import Compositing

struct ColorPyramidTests {
    private func grids(_ columns: Int, _ rows: Int) -> [CellRuns] {
        let soft = picture(.gray8, width: columns * 4, height: rows * 4) { _, _, _, _ in 128 }
        var cells = SoftCells()
        soft.withPlane(0) { cells.find(in: $0, horizontalShift: 2, verticalShift: 2) }
        return cells.levels
    }

    private func means(_ levels: [CellRuns], prior: Float, _ cell: (Int) -> (sum: Float, weight: Float)) -> [Float]? {
        var pyramid = ColorPyramid()
        pyramid.prepare(levels, componentCount: 1)
        let count = levels[0].columns * levels[0].rows
        pyramid.withSums { sums, weights in
            for index in 0..<count { (sums[index], weights[index]) = cell(index) }
        }
        guard pyramid.fill(levels, prior: prior) else { return nil }
        var result: [Float] = []
        pyramid.withMeans { means in result = (0..<count).map { means[$0] } }
        return result
    }

    @Test func oneCellsColorFillsTheGrid() throws {
        for (columns, rows) in [(1, 1), (7, 5), (16, 9)] {
            let levels = grids(columns, rows)
            let found = try #require(means(levels, prior: 8) { $0 == columns * rows / 2 ? (300, 3) : (0, 0) })
            #expect(found.allSatisfy { abs($0 - 100) < 0.01 })
        }
    }

    @Test func muchWeightKeepsItsColorAndLittleTakesTheOthers() throws {
        let found = try #require(means(grids(8, 1), prior: 1) { $0 < 4 ? (1e6 * 50, 1e6) : (1e-6 * 90, 1e-6) })
        #expect(found.allSatisfy { abs($0 - 50) < 0.1 })
        let even = try #require(means(grids(8, 1), prior: 1) { $0 < 4 ? (1e6 * 50, 1e6) : (1e6 * 90, 1e6) })
        #expect(even.prefix(4).allSatisfy { abs($0 - 50) < 0.1 } && even.suffix(4).allSatisfy { abs($0 - 90) < 0.1 })
    }

    @Test func noWeightIsNoMean() {
        #expect(means(grids(5, 3), prior: 8) { _ in (0, 0) } == nil)
    }
}
