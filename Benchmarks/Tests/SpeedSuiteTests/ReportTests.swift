import Foundation
import Measuring
import Testing

@testable import SpeedSuite

struct ReportTests {
    private func report(_ figures: [Figure], clips: [SpeedClip] = []) -> SpeedReport {
        SpeedReport(
            machine: "a CPU, 2 cores", versions: [:], rounds: 3, clips: clips, figures: figures, allocationPlaces: [])
    }

    @Test func programsAreARowEachWithTheirSpread() throws {
        let clip = try SpeedClip(path: Checkout.sampleVideo)
        let subjects = ["ffmpeg", "fast", "fast, one colour", "balanced", "accurate"]
        var figures = subjects.flatMap { subject in
            [("frames per second", [10.0, 12, 11]), ("CPU ms per frame", [20]), ("peak memory in MB", [99.6])].map {
                Figure(.init(.program, "anna", subject, $0.0), better: .more, $0.1)
            }
        }
        figures.append(Figure(.init(.program, "anna", "fast", "of ffmpeg's rate"), better: .more, [0.5, 0.75, 1]))
        figures += [("frames per second", 5.5), ("peak memory in MB", 300)].map {
            Figure(.init(.peer, "anna", "Python with MediaPipe", $0.0), better: .more, [$0.1])
        }
        let expected = """
            | | size | frames a second | of `ffmpeg`'s | CPU time of a frame | memory |
            |---|---|---|---|---|---|
            | `ffmpeg` alone | 640x360 | 11.0 (10.0–12.0) | – | 20.0 ms | 100 MB |
            | `fast` | 640x360 | 11.0 (10.0–12.0) | 0.75 (0.50–1.00) | 20.0 ms | 100 MB |
            | `fast`, one colour | 640x360 | 11.0 (10.0–12.0) | – | 20.0 ms | 100 MB |
            | `balanced` | 640x360 | 11.0 (10.0–12.0) | – | 20.0 ms | 100 MB |
            | `accurate` | 640x360 | 11.0 (10.0–12.0) | – | 20.0 ms | 100 MB |
            | Python with MediaPipe | 640x360 | 5.5 | 0.50 | – | 300 MB |

            Medians of 3 rounds, with the lowest and the highest, on a CPU, 2 cores; the clips are `anna`, 96 frames of 640x360.
            """
        #expect(report(figures, clips: [clip]).markdown == expected)
    }

    @Test func levelsAreAColumnEachAndWhatIsMissingIsADash() {
        let figures = [
            Figure(.init(.latency, "1280x720", "fast", "p50 ms"), better: .less, [10]),
            Figure(.init(.latency, "1280x720", "fast", "p90 ms"), better: .less, [12.26]),
            Figure(.init(.latency, "1280x720", "fast", "p99 ms"), better: .less, [20]),
            Figure(.init(.latency, "1280x720", "balanced", "p50 ms"), better: .less, [10]),
            Figure(.init(.kernels, "8x8", "a kernel", "ns per pixel"), better: .less, [0.256]),
            Figure(.init(.kernels, "8x8", "a kernel", "times a memory copy"), better: .less, [1]),
            Figure(.init(.kernels, "8x8", "a kernel", "times as fast as a plain loop"), better: .more, [2, 4]),
        ]
        let expected = """
            | | `fast` | `balanced` | `accurate` |
            |---|---|---|---|
            | live 720p at 30 a second: ms of latency, p50 / p90 / p99 | 10.0 / 12.3 / 20.0 | – | – |

            | kernel, 8x8 | ns a pixel | times a memory copy | times as fast as a plain loop |
            |---|---|---|---|
            | a kernel | 0.26 | 1.00 | 3.0 (2.0–4.0) |

            Medians of 3 rounds, with the lowest and the highest, on a CPU, 2 cores.
            """
        #expect(report(figures).markdown == expected)
    }

    @Test func goalsSayWhetherTheyAreReached() {
        let figures = [
            Figure(.init(.program, "x", "fast", "of ffmpeg's rate"), better: .more, [0.84]),
            Figure(.init(.program, "x", "balanced", "of ffmpeg's rate"), better: .more, [0.7]),
            Figure(.init(.memory, "x", "fast", "growth over ten times the length"), better: .less, [1.06]),
        ]
        #expect(
            Goal.lines(figures) == [
                "  missed   program / x / fast / of ffmpeg's rate: 0.84, meant to be at least 0.85",
                "  reached  program / x / balanced / of ffmpeg's rate: 0.7, meant to be at least 0.7",
                "  missed   memory / x / fast / growth over ten times the length: 1.06, meant to be at most 1.05",
            ])
    }

    private func stage(_ size: String, _ level: String, _ measure: String, _ value: Double) -> Figure {
        Figure(.init(.stages, size, level, measure), better: .less, [value])
    }

    @Test func theChartHasABoxForEachStageAsLongAsItTakes() throws {
        let figures = [("decode", 1.0), ("mask", 4), ("faces", 0.5), ("composite", 0.5), ("encode", 2)].map {
            stage("640x360", "fast", "\($0.0) ms", $0.1)
        }
        let svg = StageChart(figures, note: "R & D <1>").svg
        let document = try XMLText(svg)
        // The background, the legend, the bar.
        #expect(document.count(of: "rect") == 1 + 5 + 5)
        let widths = document.attributes("width", of: "rect").suffix(5).compactMap(Double.init)
        #expect(widths.count == 5)
        for (width, value) in zip(widths, [1.0, 4, 0.5, 0.5, 2]) {
            #expect(abs(width / widths[0] - value) < 0.01)
        }
        #expect(svg.contains(">8.0</text>") && svg.contains(">640x360</text>") && svg.contains(">fast</text>"))
        #expect(svg.contains("R &amp; D &lt;1&gt;"))
    }

    @Test(arguments: [(9.0, 1.0), (10, 2), (24.9, 2), (25, 5), (49, 5), (50, 10), (430, 50), (0.9, 0.1), (0, 1)])
    func ticksAreRoundNumbers(_ value: Double, _ step: Double) {
        #expect(abs(StageChart.step(upTo: value) - step) < 1e-12)
    }

    @Test func everyFigureIsInTheJSON() throws {
        let folder = try WorkingFolder()
        let figure = stage("640x360", "fast", "mask ms", 3)
        try JSONFile.write(report([figure]), to: folder.path("report.json"))
        struct Read: Decodable {
            let machine: String
            let rounds: Int
            let figures: [Figure]
        }
        let read = try JSONFile.read(Read.self, from: folder.path("report.json"))
        #expect(read.machine == "a CPU, 2 cores" && read.rounds == 3 && read.figures == [figure])
    }
}

/// Just enough of XML to count elements in what has to be well-formed.
private struct XMLText {
    private let elements: [(name: String, attributes: [String: String])]

    init(_ text: String) throws {
        var open: [Substring] = []
        var found: [(String, [String: String])] = []
        for tag in text.matches(of: /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<>]*")*)(\/?)>/) {
            let (closes, name, isEmpty) = (!tag.1.isEmpty, tag.2, !tag.4.isEmpty)
            if closes {
                #expect(open.popLast() == name)
            } else {
                let pairs = tag.3.matches(of: /([a-zA-Z-]+)="([^"]*)"/).map { (String($0.1), String($0.2)) }
                found.append((String(name), Dictionary(uniqueKeysWithValues: pairs)))
                if !isEmpty { open.append(name) }
            }
        }
        #expect(open.isEmpty)
        #expect(text.count { $0 == "<" } == text.matches(of: /<\/?[a-z]+/).count)
        elements = found.map { (name: $0.0, attributes: $0.1) }
    }

    func count(of name: String) -> Int { elements.count { $0.name == name } }

    func attributes(_ attribute: String, of name: String) -> [String] {
        elements.filter { $0.name == name }.compactMap { $0.attributes[attribute] }
    }
}
