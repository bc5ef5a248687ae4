import MatteMetrics
import Testing

@testable import QualitySuite

struct LevelTableTests {
    @Test func theTableIsMarkdown() {
        let scores = MatteScores(mad: 10.654, mse: 1, grad: 6, conn: 2, dtssd: 4.986, iou: 0.96949)
        let rows = [
            LevelTable.Row(
                name: "baseline", cpuMilliseconds: 1.26, enlargedCPUMilliseconds: 12, program: nil, scores: scores),
            LevelTable.Row(
                name: "`fast`", cpuMilliseconds: 0.04, enlargedCPUMilliseconds: 100.25,
                program: .init(followingHead: 92.6, oneColor: 135.2), scores: scores),
        ]
        let expected = """
            | | mask, 640x360 | mask, 1280x720 | program, following the head | program, one colour | MAD | Grad | dtSSD | IoU |
            |---|---|---|---|---|---|---|---|---|
            | baseline | 1.3 ms | 12.0 ms | – | – | 10.65 | 6.00 | 4.99 | 0.969 |
            | `fast` | 0.0 ms | 100.2 ms | 93 fps | 135 fps | 10.65 | 6.00 | 4.99 | 0.969 |

            Where from.
            """
        #expect(LevelTable(rows, note: "Where from.").markdown == expected)
    }
}
