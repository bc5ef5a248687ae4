import ArgumentParser
import Compositing
import Foundation
import Imaging
import Matte
import Measuring
import QualitySuite

@main
struct Composites: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "composites", abstract: "Measure what each background, effect and output costs.",
        discussion: """
            Prints a table in Markdown, of the sample clip enlarged to 1280x720. Nothing else should run on the machine \
            meanwhile.
            """)

    @Option(
        help: ArgumentHelp(
            "Put the table into this file as well, between \(Self.begin) and \(Self.end).", valueName: "file"))
    var readme: String?

    @Option(help: ArgumentHelp("Rounds to take medians over; one more goes before them.", valueName: "n"))
    var rounds = 5

    @Option(help: ArgumentHelp("Measure what has this in its name alone.", valueName: "text"))
    var only: String?

    private static let begin = "<!-- composites: made by make gallery -->"
    private static let end = "<!-- /composites -->"
    private static let white = RGBColor(red: 1, green: 1, blue: 1)
    private static let teal = RGBColor(red: 0, green: 0.5, blue: 0.5)

    func validate() throws {
        if only != nil, readme != nil { throw ValidationError("'--readme' takes the whole table.") }
        if rounds < 1 { throw ValidationError("'--rounds' is 1 or more.") }
    }

    func run() throws {
        let section = MarkedSection(begin: Self.begin, end: Self.end)
        try readme.map(section.check)
        let folder = try WorkingFolder()
        let video = try EnlargedVideo(
            of: Checkout.sampleVideo, times: 1, name: "enlarged.mp4", in: folder
        ).path
        let benchmark = try CompositeBenchmark(video: video, limit: 32, models: .init(directory: Checkout.models))
        let all = [
            ("background", try backgrounds(video, folder)), ("effect, on `original`", Self.effects),
            ("output", Self.outputs),
        ]
        let groups = all.map { title, subjects in
            (title, subjects.filter { only == nil || $0.name.contains(only!) })
        }
        let times = try benchmark.cpuMilliseconds(of: groups.flatMap(\.1), Rounds(rounds))
        var rest = times[...]
        let rows = groups.map { title, subjects in
            let cells = subjects.map { String(format: "%@ %.1f ms", $0.name, rest.removeFirst()) }
            return "| \(title) | \(cells.joined(separator: ", ")) |"
        }
        let table =
            (["| | CPU time of a frame |", "|---|---|"] + rows).joined(separator: "\n")
            + "\n\nMedians of \(rounds) rounds of \(benchmark.frameCount) frames of 1280x720, 8-bit 4:2:0, on "
            + "\(Machine.description); masks are at hand, nothing is decoded or encoded."
        print(table)
        try readme.map { try section.replace(with: table, in: $0) }
    }

    private func backgrounds(_ video: String, _ folder: WorkingFolder) throws -> [CompositeBenchmark.Subject] {
        let picture = folder.path("picture.png")
        try Checkout.firstFrame(of: video, to: picture)
        let compositor = Compositor()
        // As the head's colour does, another one in each frame.
        let pose = CompositeBenchmark.Subject("`pose`") { frame, mask in
            let level = Float((frame.time ?? 0).truncatingRemainder(dividingBy: 1))
            return compositor.composite(
                frame, mask: mask, over: .color(RGBColor(red: level, green: 0.5, blue: 1 - level)))
        }
        return [
            pose, .init("a colour", .color(Self.teal)),
            .init("`gradient`") {
                BackgroundPainter.picture(of: Configuration.BackgroundKind.usualGradient, behind: $0)
            },
            .init("`checker`") { BackgroundPainter.checkerboard(behind: $0) }, try .init("an image", media: picture),
            try .init("a video", media: video), .init("`blur`", .blur(radius: 15)),
            .init("`bokeh`", .bokeh(radius: 18)),
        ]
    }

    private static var effects: [CompositeBenchmark.Subject] {
        ["dim", "desaturate", "pixelate", "spotlight", "shadow", "outline", "light-wrap"].map { name in
            .init("`\(name)`", .original, effects: [Effect(name: name)!])
        }
    }

    private static var outputs: [CompositeBenchmark.Subject] {
        let (extractor, sticker, trimapMaker, scaler) = (
            ForegroundExtractor(), ForegroundExtractor(), TrimapMaker(), FrameScaler()
        )
        return [
            .init("`foreground`") { frame, mask in extractor.foreground(of: frame, mask: mask)! },
            .init("`--background none` with `outline` and `shadow`") { frame, mask in
                sticker.foreground(
                    of: frame, mask: mask, effects: [.outline(width: 6, color: white), .shadow(opacity: 0.5)])!
            },
            .init("`trimap`") { frame, mask in
                var result = frame
                result.pixelBuffer = trimapMaker.trimap(of: mask, for: frame)
                return result
            },
            .init("`--follow`") { frame, _ in
                scaler.cut(
                    Rectangle(x: 200.3, y: 100.7, width: 960, height: 540), of: frame, width: 1280, height: 720)
            },
        ]
    }
}
