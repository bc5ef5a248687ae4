import ArgumentParser
import Foundation
import MatteVision
import Measuring
import QualitySuite

typealias QualityLevel = GeneratePersonSegmentationRequest.QualityLevel

@main
struct Quality: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quality", abstract: "Compare the masks of each quality level with exact alpha.",
        discussion: """
            A clip is VIDEO:ALPHA, or a video with its alpha beside it: NAME_alpha.mkv beside NAME.mp4 or NAME_comp.mp4, or \
            alpha.mkv. Without clips the sample clip is measured. The README says what the columns mean.
            """)

    @Argument(help: "Clips with exact alpha.")
    var clips: [String] = []

    @Option(help: ArgumentHelp("The quality levels to measure, separated by commas.", valueName: "names"))
    var levels = QualityLevel.allCases.map(\.rawValue).joined(separator: ",")

    @Option(help: ArgumentHelp("The folder of the models. (default: the checkout's)", valueName: "folder"))
    var models: String?

    @Option(
        help: ArgumentHelp(
            "Measure clips composed of each clip as well: all, or names separated by commas of "
                + Composition.all.map(\.name).joined(separator: ", ") + ".", valueName: "names"))
    var compose: String?

    @Option(help: ArgumentHelp("Keep the composed clips in this folder.", valueName: "folder"))
    var keep: String?

    @Option(help: ArgumentHelp("Take only the first frames of each clip.", valueName: "frames"))
    var limit: Int?

    @Option(help: ArgumentHelp("Take Grad and Conn only of every n-th frame.", valueName: "n"))
    var every = 1

    @Option(help: ArgumentHelp("Write the results as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write a picture of the worst frames as PNG.", valueName: "file"))
    var sheet: String?

    @Option(help: ArgumentHelp("Write every mask to this folder, as CLIP_LEVEL.mkv.", valueName: "folder"))
    var masks: String?

    func validate() throws {
        _ = try qualityLevels()
        _ = try compositions()
        if let limit, limit < 1 { throw ValidationError("'--limit' is 1 or more.") }
        if every < 1 { throw ValidationError("'--every' is 1 or more.") }
        if keep != nil, compose == nil { throw ValidationError("'--keep' goes with '--compose'.") }
    }

    func run() throws {
        let folder = try WorkingFolder()
        let sources = clips.isEmpty ? [Checkout.sampleClip] : try clips.map(Clip.init(argument:))
        let methods = try methods(folder)
        for path in [keep, masks].compactMap({ $0 }) {
            try WorkingFolder.make(path)
        }
        let evaluator = Evaluator(every: every, limit: limit, masksFolder: masks)
        let nameWidth = try nameWidth(sources)
        print(Report.header(nameWidth: nameWidth))
        var evaluations: [Evaluation] = []
        for clip in sources {
            for composition in try [nil] + compositions() {
                let clip = try composition.map { try made($0, of: clip, folder) } ?? clip
                for method in methods {
                    let evaluation = try evaluator.evaluate(method, on: clip)
                    print(Report.line(evaluation, nameWidth: nameWidth))
                    evaluations.append(evaluation)
                }
            }
        }
        let report = Report(evaluations, every: every)
        for mean in report.means { print(Report.line(mean, nameWidth: nameWidth)) }
        try json.map { try report.writeJSON(to: $0) }
        try sheet.map { try ContactSheet(evaluations).write(to: $0, clip: sources[0]) }
    }

    private func methods(_ folder: WorkingFolder) throws -> [Method] {
        let models = models ?? Checkout.models
        return try [Method(baselineWith: models, folder: folder)]
            + qualityLevels().map { Method(level: $0, models: models) }
    }

    private func made(_ composition: Composition, of clip: Clip, _ folder: WorkingFolder) throws -> Clip {
        try Composer(composition, of: clip).compose(into: keep ?? folder.url.path, limit: limit)
    }

    private func nameWidth(_ sources: [Clip]) throws -> Int {
        let names = sources.map(\.name)
        let added = try compositions().map { $0.name.count + 1 }
        return (names.map(\.count).max() ?? 0) + (added.max() ?? 0)
    }

    private func qualityLevels() throws -> [QualityLevel] {
        try Self.names(levels).map { name in
            guard let level = QualityLevel(rawValue: name) else {
                throw ValidationError("There is no quality level '\(name)'.")
            }
            return level
        }
    }

    private func compositions() throws -> [Composition] {
        guard let compose else { return [] }
        if compose == "all" { return Composition.all }
        return try Self.names(compose).map { name in
            guard let composition = Composition.all.first(where: { $0.name == name }) else {
                throw ValidationError("There is no composition '\(name)'.")
            }
            return composition
        }
    }

    private static func names(_ list: String) -> [String] {
        list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
