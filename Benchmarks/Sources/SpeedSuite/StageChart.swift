import Foundation
import MatteVision
import Measuring

/// A picture of where a frame's time goes: a panel for each size, a bar for each level, a colour for each stage.
public struct StageChart {
    private let figures: [Figure]
    private let note: String

    /// A chart of the stages among `figures`, with `note` under it.
    public init(_ figures: [Figure], note: String) {
        self.figures = figures.filter { $0.name.part == .stages }
        self.note = note
    }

    private typealias Stage = StageBenchmark.Stage

    // Told apart by people who don't see all colours, too: P. Tol, "Colour Schemes", SRON/EPS/TN/09-002, bright.
    private static let colors: [Stage: String] = [
        .decode: "#4477aa", .mask: "#ee6677", .faces: "#ccbb44", .composite: "#228833", .encode: "#66ccee",
    ]
    private static let names: [Stage: String] = [
        .decode: "decoding", .mask: "mask", .faces: "faces", .composite: "compositing", .encode: "encoding",
    ]

    private static let width = 900.0
    private static let left = 90.0
    private static let right = 70.0
    private static let barHeight = 22.0
    private static let barStep = 30.0

    /// The chart as SVG, legible on light and dark pages.
    public var svg: String {
        let sizes = figures.pictures(.stages)
        let panelHeight = 34 + Self.barStep * Double(figures.subjects(.stages).count) + 34
        let height = 96 + panelHeight * Double(sizes.count) + 30
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.number(Self.width)) \(Self.number(height))\" "
                + "font-family=\"sans-serif\" font-size=\"14\">",
            "<title>CPU time of a frame by stage</title>",
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
            Self.text(
                "CPU time of a frame by stage, in milliseconds", x: 20, y: 34, "font-size=\"20\" font-weight=\"bold\""),
        ]
        lines += legend(y: 62)
        for (index, size) in sizes.enumerated() { lines += panel(size, y: 96 + panelHeight * Double(index)) }
        lines.append(Self.text(note, x: 20, y: height - 14, "fill=\"#555555\" font-size=\"12\""))
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func legend(y: Double) -> [String] {
        Stage.allCases.enumerated().flatMap { index, stage in
            let x = 20 + 130 * Double(index)
            return [
                Self.box(x: x, y: y - 12, width: 14, height: 14, Self.colors[stage]!),
                Self.text(Self.names[stage]!, x: x + 20, y: y),
            ]
        }
    }

    private func panel(_ size: String, y: Double) -> [String] {
        let levels = figures.subjects(.stages)
        func value(_ level: String, _ stage: Stage) -> Double {
            figures.spread(.stages, size, level, stage.measure)?.median ?? 0
        }
        let totals = levels.map { level in Stage.allCases.reduce(0) { $0 + value(level, $1) } }
        let step = Self.step(upTo: totals.max() ?? 1)
        let end = ((totals.max() ?? 1) / step).rounded(.up) * step
        let scale = (Self.width - Self.left - Self.right) / end
        let (top, bottom) = (y + 26, y + 26 + Self.barStep * Double(levels.count))
        var lines = [Self.text(size, x: 20, y: y + 14, "font-weight=\"bold\"")]
        for tick in 0...Int((end / step).rounded()) {
            let x = Self.left + Double(tick) * step * scale
            lines.append(
                "<path d=\"M\(Self.number(x)) \(Self.number(top))V\(Self.number(bottom))\" stroke=\"#dddddd\"/>")
            lines.append(
                Self.text(
                    Self.number(Double(tick) * step), x: x, y: bottom + 16,
                    "text-anchor=\"middle\" fill=\"#555555\" font-size=\"12\""))
        }
        for (index, level) in levels.enumerated() {
            let middle = top + Self.barStep * (Double(index) + 0.5)
            lines.append(Self.text(level, x: Self.left - 8, y: middle + 5, "text-anchor=\"end\""))
            var x = Self.left
            for stage in Stage.allCases {
                let width = value(level, stage) * scale
                lines.append(
                    Self.box(
                        x: x, y: middle - Self.barHeight / 2, width: width, height: Self.barHeight, Self.colors[stage]!)
                )
                x += width
            }
            lines.append(Self.text(String(format: "%.1f", totals[index]), x: x + 6, y: middle + 5))
        }
        return lines
    }

    /// How far apart the ticks of an axis up to `value` are: 1, 2 or 5 times a power of ten, so that there are five to ten or so.
    static func step(upTo value: Double) -> Double {
        guard value > 0 else { return 1 }
        let rough = value / 5
        let power = pow(10, log10(rough).rounded(.down))
        return [5, 2, 1].map { $0 * power }.first { $0 <= rough } ?? power
    }

    private static func box(x: Double, y: Double, width: Double, height: Double, _ color: String) -> String {
        "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\" fill=\"\(color)\"/>"
    }

    private static func text(_ text: String, x: Double, y: Double, _ attributes: String = "") -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        let more = attributes.isEmpty ? "" : " \(attributes)"
        return "<text x=\"\(number(x))\" y=\"\(number(y))\"\(more)>\(escaped)</text>"
    }

    // A tenth of a unit is finer than anybody sees.
    private static func number(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Writes the chart to `path`.
    ///
    /// - Throws: `BenchmarkError` where the file can't be written.
    public func write(to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: Data(svg.utf8)) else {
            throw BenchmarkError(cannotWrite: path)
        }
    }
}
