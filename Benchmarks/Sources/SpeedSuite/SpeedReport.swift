import Foundation
import MatteVision
import Measuring

/// All that a run measured, as JSON and as tables in Markdown.
public struct SpeedReport: Encodable, Sendable {
    /// CPU and number of cores.
    public let machine: String
    /// What the programs say of themselves.
    public let versions: [String: String]
    public let rounds: Int
    public let clips: [Clip]
    public let figures: [Figure]
    public let allocationPlaces: [AllocationBenchmark.Place]

    /// What was measured on.
    public struct Clip: Encodable, Sendable {
        public let name: String
        public let width: Int
        public let height: Int
        public let frameCount: Int
    }

    public init(
        machine: String, versions: [String: String], rounds: Int, clips: [SpeedClip], figures: [Figure],
        allocationPlaces: [AllocationBenchmark.Place]
    ) {
        self.machine = machine
        self.versions = versions
        self.rounds = rounds
        self.clips = clips.map {
            Clip(name: $0.name, width: $0.width, height: $0.height, frameCount: $0.frameCount)
        }
        self.figures = figures
        self.allocationPlaces = allocationPlaces
    }

    private static let levels = QualityLevel.allCases.map(\.rawValue)

    /// The tables of the parts that were measured and the line under them, without a newline at the end.
    public var markdown: String {
        let tables = [programTable, levelTable, kernelTable].compactMap { $0?.markdown }
        return (tables + [note]).joined(separator: "\n\n")
    }

    /// Where large memory is allocated in every frame, a place after the other with its callers.
    public var placeLines: [String] {
        allocationPlaces.flatMap { place in
            [
                String(
                    format: "%@ allocates %.2f times a frame, %.0f KiB in all, in", place.level, place.countPerFrame,
                    place.kibibytesPerFrame)
            ] + place.callers.map { "    \($0)" }
        }
    }

    /// Where the chart of the stages comes from, in a sentence.
    public var chartNote: String {
        let count = figures.first { $0.name.part == .stages }?.spread.count ?? rounds
        return "\(Self.counted(count)), each stage by itself on one thread of \(machine)."
    }

    private static func counted(_ rounds: Int) -> String { rounds == 1 ? "One round" : "Medians of \(rounds) rounds" }

    /// Where the figures come from, in a sentence.
    private var note: String {
        let names = clips.map { "`\($0.name)`, \($0.frameCount) frames of \($0.width)x\($0.height)" }
        let counted = Self.counted(rounds) + (rounds == 1 ? "" : ", with the lowest and the highest")
        let on = clips.isEmpty ? "" : "; the clips are \(names.joined(separator: " and "))"
        return "\(counted), on \(machine)\(on)."
    }

    private var programTable: MarkdownTable? {
        let rows = clips.flatMap { clip -> [[String]] in
            let subjects = [TranscodeBenchmark.ffmpeg] + TranscodeBenchmark.ways
            let own = subjects.compactMap { programRow(clip, $0) }
            return own + (own.isEmpty ? [] : [peerRow(clip)].compactMap { $0 })
        }
        guard !rows.isEmpty else { return nil }
        return MarkdownTable(
            ["", "size", "frames a second", "of `ffmpeg`'s", "CPU time of a frame", "memory"], rows)
    }

    private func programRow(_ clip: Clip, _ subject: String) -> [String]? {
        func spread(_ measure: String) -> Spread? { figures.spread(.program, clip.name, subject, measure) }
        guard let rate = spread("frames per second"), let cpu = spread("CPU ms per frame"),
            let memory = spread("peak memory in MB")
        else { return nil }
        let words = subject.split(separator: ",", maxSplits: 1)
        let rest = subject == TranscodeBenchmark.ffmpeg ? " alone" : words.dropFirst().map { ",\($0)" }.joined()
        return [
            "`\(words[0])`\(rest)", "\(clip.width)x\(clip.height)",
            rate.text("%.1f"), spread("of ffmpeg's rate")?.text("%.2f") ?? "–", cpu.text("%.1f") + " ms",
            String(format: "%.0f MB", memory.median),
        ]
    }

    private func peerRow(_ clip: Clip) -> [String]? {
        let peer = TranscodeBenchmark.peer
        guard let rate = figures.spread(.peer, clip.name, peer, "frames per second"),
            let plain = figures.spread(.program, clip.name, TranscodeBenchmark.ffmpeg, "frames per second"),
            let memory = figures.spread(.peer, clip.name, peer, "peak memory in MB")
        else { return nil }
        return [
            peer, "\(clip.width)x\(clip.height)", rate.text("%.1f"), String(format: "%.2f", rate.median / plain.median),
            "–", String(format: "%.0f MB", memory.median),
        ]
    }

    private var levelTable: MarkdownTable? {
        var rows: [[String]] = []
        func add(_ name: String, _ part: Part, _ format: String, _ measures: [String]) {
            guard let picture = figures.pictures(part).first else { return }
            let cells = Self.levels.map { level in
                let spreads = measures.map { figures.spread(part, picture, level, $0) }
                return spreads.contains(nil)
                    ? "–" : spreads.map { String(format: format, $0!.median) }.joined(separator: " / ")
            }
            guard cells.contains(where: { $0 != "–" }) else { return }
            rows.append([name] + cells)
        }
        let cat = figures.spread(.pipes, "1920x1080", PipeBenchmark.cat, PipeBenchmark.measure)
        let limit = cat.map { String(format: " (`cat`: %.0f)", $0.median) } ?? ""
        add(
            "raw 1080p frames a second through pipes\(limit), following the head / one colour", .pipes, "%.0f",
            [PipeBenchmark.measure, PipeBenchmark.measureOfOneColor])
        add(
            "live 720p at 30 a second: ms of latency, p50 / p90 / p99", .latency, "%.1f",
            ["p50 ms", "p90 ms", "p99 ms"])
        add(
            "the same by the program's account, p50 / p99", .latency, "%.1f",
            ["p50 ms, the program's account", "p99 ms, the program's account"])
        add("live frames dropped, %", .latency, "%.1f", ["dropped per cent"])
        add("most memory at 1080p, MB", .memory, "%.0f", ["MB for ten times as many"])
        add("times that of a clip a tenth as long", .memory, "%.2f", ["growth over ten times the length"])
        add(
            "allocations of a frame: all / by own code", .allocations, "%.0f",
            ["per frame", "by the program's own code per frame"])
        add("allocations of 64 KiB or more of a frame", .allocations, "%.2f", ["of 64 KiB or more per frame"])
        return rows.isEmpty ? nil : MarkdownTable([""] + Self.levels.map { "`\($0)`" }, rows)
    }

    private var kernelTable: MarkdownTable? {
        guard let picture = figures.pictures(.kernels).first else { return nil }
        let rows = figures.subjects(.kernels).compactMap { kernel -> [String]? in
            let measures = [
                ("ns per pixel", "%.2f"), ("times a memory copy", "%.2f"), ("times as fast as a plain loop", "%.1f"),
            ]
            let cells = measures.compactMap { figures.spread(.kernels, picture, kernel, $0)?.text($1) }
            return cells.count == measures.count ? [kernel] + cells : nil
        }
        let head = ["kernel, \(picture)", "ns a pixel", "times a memory copy", "times as fast as a plain loop"]
        return rows.isEmpty ? nil : MarkdownTable(head, rows)
    }
}

extension Spread {
    /// The median, and where there is more than one value the lowest and highest behind it.
    func text(_ format: String) -> String {
        let middle = String(format: format, median)
        guard count > 1 else { return middle }
        return "\(middle) (\(String(format: format, lowest))–\(String(format: format, highest)))"
    }
}
