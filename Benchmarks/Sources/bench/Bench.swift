import ArgumentParser
import Foundation
import Measuring
import SpeedSuite

@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure how fast the program is, and tell what became worse.",
        discussion: """
            Prints tables in Markdown, and what has changed since the baseline, a file of those figures that mean the same on \
            every machine. Benchmarks/README.md says what is measured and how. Nothing else should run on the machine meanwhile.
            """)

    @Option(help: ArgumentHelp("The built program. (default: what make build leaves)", valueName: "path"))
    var program: String?

    @Option(
        help: ArgumentHelp(
            "A clip to measure on, of \(SpeedClip.usualFrameCount) frames or more; may be repeated. "
                + "(default: the sample clip, enlarged to 720p and 1080p and played over to 300 frames)",
            valueName: "file"))
    var clip: [String] = []

    @Option(
        help: ArgumentHelp(
            "Measure these parts alone, with commas between them: \(Part.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "parts"),
        transform: Self.parts)
    var only: Set<Part>?

    @Option(help: ArgumentHelp("Rounds to take medians over.", valueName: "n"))
    var rounds = 5

    @Option(help: ArgumentHelp("Write all figures to this file as JSON.", valueName: "file"))
    var json: String?

    @Option(
        help: ArgumentHelp(
            "Put the tables, and the chart that is drawn, into this file as well, between \(Self.begin) and \(Self.end).",
            valueName: "file"))
    var readme: String?

    @Option(help: ArgumentHelp("Draw the stages to this file, as SVG.", valueName: "file"))
    var chart: String?

    @Option(
        help: ArgumentHelp(
            "What to compare with. (default: Benchmarks/baseline.json of the checkout)", valueName: "file"))
    var baseline: String?

    @Flag(help: "Fail, with exit code 1, where anything became worse.")
    var check = false

    @Flag(help: "Make what was measured the new baseline; what was not measured stays as it is there.")
    var updateBaseline = false

    private static let begin = "<!-- speed: made by make bench -->"
    private static let end = "<!-- /speed -->"
    private static let section = MarkedSection(begin: begin, end: end)

    private static func parts(_ text: String) throws -> Set<Part> {
        Set(
            try text.split(separator: ",").map { name in
                guard let part = Part(rawValue: String(name)) else {
                    throw ValidationError("there is no part '\(name)'.")
                }
                return part
            })
    }

    func validate() throws {
        if only != nil, readme != nil { throw ValidationError("'--readme' takes all tables.") }
        if let only, chart != nil, !only.contains(.stages) { throw ValidationError("'--chart' shows the stages.") }
        if rounds < 1 { throw ValidationError("'--rounds' is 1 or more.") }
        if check, updateBaseline { throw ValidationError("'--check' compares with what '--update-baseline' replaces.") }
    }

    func run() throws {
        // Before the minutes that measuring takes.
        try readme.map(Self.section.check)
        let file = self.baseline ?? Checkout.path("Benchmarks/baseline.json")
        var baseline =
            FileManager.default.fileExists(atPath: file) || self.baseline != nil && !updateBaseline
            ? try Baseline(path: file) : Baseline()
        let report = try Measurement(
            program: program ?? Checkout.program, clips: clip, parts: only ?? Set(Part.allCases), rounds: rounds
        ).run()
        print(report.markdown)
        print()
        print((report.placeLines + Goal.lines(report.figures)).joined(separator: "\n"))
        let comparison = Comparison(report.figures, with: baseline)
        print(
            baseline.ratios.isEmpty
                ? "There is no baseline to compare with; --update-baseline makes one."
                : comparison.lines.joined(separator: "\n"))
        try json.map { try JSONFile.write(report, to: $0) }
        try chart.map { try StageChart(report.figures, note: report.chartNote).write(to: $0) }
        try readme.map { file in
            let picture = chart.map { "![CPU time of a frame by stage, size and level](\($0))\n\n" } ?? ""
            try Self.section.replace(with: picture + report.markdown, in: file)
        }
        if updateBaseline {
            baseline.update(with: report.figures)
            try baseline.write(to: file)
        }
        if check, !comparison.worse.isEmpty { throw ExitCode.failure }
    }
}
