import Foundation
import MatteMetrics
import Measuring

/// What each quality level costs and how good its masks are, as a table in Markdown.
public struct LevelTable: Sendable {
    /// One way to make masks.
    public struct Row: Sendable {
        /// In Markdown.
        public let name: String
        /// CPU milliseconds of a mask of 640x360 pixels.
        public let cpuMilliseconds: Double
        /// CPU milliseconds of a mask of 1280x720 pixels.
        public let enlargedCPUMilliseconds: Double
        /// Frames a second of the whole program; nil where it can't do this.
        public let program: ProgramSpeed?
        public let scores: MatteScores

        public init(
            name: String, cpuMilliseconds: Double, enlargedCPUMilliseconds: Double, program: ProgramSpeed?,
            scores: MatteScores
        ) {
            self.name = name
            self.cpuMilliseconds = cpuMilliseconds
            self.enlargedCPUMilliseconds = enlargedCPUMilliseconds
            self.program = program
            self.scores = scores
        }
    }

    /// Frames a second of the whole program from H.264 to H.264 at 1280x720.
    public struct ProgramSpeed: Sendable {
        /// With a background that follows the head.
        public let followingHead: Double
        /// With a background of one colour.
        public let oneColor: Double

        public init(followingHead: Double, oneColor: Double) {
            self.followingHead = followingHead
            self.oneColor = oneColor
        }
    }

    private let rows: [Row]
    private let note: String

    /// A table with `note`, which tells where its figures come from, as the line under it.
    public init(_ rows: [Row], note: String) {
        self.rows = rows
        self.note = note
    }

    /// The table and the line under it, without a newline at the end.
    public var markdown: String {
        let head = [
            "", "mask, 640x360", "mask, 1280x720", "program, following the head", "program, one colour", "MAD", "Grad",
            "dtSSD", "IoU",
        ]
        return MarkdownTable(head, rows.map(Self.cells)).markdown + "\n\n" + note
    }

    private static func cells(_ row: Row) -> [String] {
        let times = [row.cpuMilliseconds, row.enlargedCPUMilliseconds].map { String(format: "%.1f ms", $0) }
        let speeds = [row.program?.followingHead, row.program?.oneColor].map { speed in
            speed.map { String(format: "%.0f fps", $0) } ?? "–"
        }
        let errors = [row.scores.mad, row.scores.grad, row.scores.dtssd].map { String(format: "%.2f", $0) }
        return [row.name] + times + speeds + errors + [String(format: "%.3f", row.scores.iou)]
    }
}
