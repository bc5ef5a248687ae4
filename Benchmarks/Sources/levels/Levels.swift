import ArgumentParser
import Foundation
import MatteVision
import Measuring
import QualitySuite

typealias QualityLevel = GeneratePersonSegmentationRequest.QualityLevel

@main
struct Levels: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "levels", abstract: "Measure what each quality level costs and how good its masks are.",
        discussion: """
            Prints a table in Markdown, of the sample clip. The project's README says what the columns mean. Nothing else \
            should run on the machine meanwhile.
            """)

    @Option(
        help: ArgumentHelp(
            "Put the table into this file as well, between \(Self.begin) and \(Self.end).", valueName: "file"))
    var readme: String?

    @Option(help: ArgumentHelp("The built program. (default: what make build leaves)", valueName: "path"))
    var program: String?

    @Option(help: ArgumentHelp("Rounds to take medians over; one more goes before them.", valueName: "n"))
    var rounds = 3

    private static let begin = "<!-- levels: made by make levels -->"
    private static let end = "<!-- /levels -->"

    func validate() throws {
        if rounds < 1 { throw ValidationError("'--rounds' is 1 or more.") }
    }

    func run() throws {
        let section = MarkedSection(begin: Self.begin, end: Self.end)
        // Before the minutes that measuring takes.
        try readme.map(section.check)
        let table = try measure()
        print(table.markdown)
        try readme.map { try section.replace(with: table.markdown, in: $0) }
    }

    private func measure() throws -> LevelTable {
        let folder = try WorkingFolder()
        let clip = Checkout.sampleClip
        let levels = QualityLevel.allCases
        let methods =
            try [Method(baselineWith: Checkout.models, folder: folder)]
            + levels.map { Method(level: $0, models: Checkout.models) }

        // Long enough for the program's start to count little.
        let enlarged = try EnlargedVideo(of: clip.video, times: 4, name: "enlarged.mp4", in: folder)
        say("the whole program")
        let speeds = try speeds(of: levels, on: enlarged, folder)
        say("masks of 640x360")
        let small = try MaskBenchmark(video: clip.video)
        let times = try small.cpuMilliseconds(of: methods, Rounds(rounds))
        say("masks of 1280x720")
        let large = try MaskBenchmark(video: enlarged.path, limit: small.frameCount)
        let enlargedTimes = try large.cpuMilliseconds(of: methods, Rounds(rounds))
        say("quality")
        let scores = try methods.map { try Evaluator().evaluate($0, on: clip).scores }

        let rows = methods.indices.map { index in
            let isLevel = index > 0
            return LevelTable.Row(
                name: isLevel ? "`\(methods[index].name)`" : methods[index].name, cpuMilliseconds: times[index],
                enlargedCPUMilliseconds: enlargedTimes[index], program: isLevel ? speeds[index - 1] : nil,
                scores: scores[index])
        }
        let video = URL(filePath: clip.video).lastPathComponent
        let counted = rounds == 1 ? "One round" : "Medians of \(rounds) rounds"
        return LevelTable(
            rows, note: "\(counted) on \(Machine.description); the clip is `\(video)`, \(small.frameCount) frames.")
    }

    private func speeds(
        of levels: [QualityLevel], on video: EnlargedVideo, _ folder: WorkingFolder
    ) throws -> [LevelTable.ProgramSpeed] {
        let benchmark = try ProgramBenchmark(video: video.path, folder: folder)
        let quality = levels.map { ["--quality", $0.rawValue] }
        let jobs = try (quality + quality.map { $0 + ["--background", "#00b140"] }).map {
            try ProgramBenchmark.Job(matte: program ?? Checkout.program, $0)
        }
        let speeds = try benchmark.framesPerSecond(of: jobs, Rounds(rounds))
        return levels.indices.map {
            LevelTable.ProgramSpeed(followingHead: speeds[$0], oneColor: speeds[$0 + levels.count])
        }
    }

    // Standard output has the table alone.
    private func say(_ what: String) {
        FileHandle.standardError.write(Data("measuring \(what)\n".utf8))
    }
}
