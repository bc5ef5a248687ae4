import Foundation
import Measuring

/// What a figure is meant to reach.
public struct Goal: Sendable {
    private let part: Part
    private let subject: String
    private let measure: String
    private let bound: Double
    private let better: Figure.Direction

    private init(_ part: Part, _ subject: String, _ measure: String, _ better: Figure.Direction, _ bound: Double) {
        self.part = part
        self.subject = subject
        self.measure = measure
        self.bound = bound
        self.better = better
    }

    /// All goals, for whatever clip.
    static let all: [Goal] =
        [("fast", 0.85), ("balanced", 0.7), ("accurate", 0.4)].flatMap { level, share in
            [level, TranscodeBenchmark.withOneColor(level)].map {
                Goal(.program, $0, "of ffmpeg's rate", .more, share)
            }
        }
        + ["fast", "balanced", "accurate"].flatMap {
            [
                Goal(.program, $0, "peak memory in MB", .less, 400),
                Goal(.memory, $0, "growth over ten times the length", .less, 1.05),
            ]
        } + [
            Goal(.peer, TranscodeBenchmark.withOneColor("fast"), "times the Python program's rate", .more, 4),
            Goal(.pipes, "fast", PipeBenchmark.measure, .more, 120),
            Goal(.pipes, "fast", PipeBenchmark.measureOfOneColor, .more, 120),
            Goal(.kernels, "composite", "times a memory copy", .less, 1.5),
        ]

    /// A line for each goal and figure that it is about: whether it is reached.
    public static func lines(_ figures: [Figure]) -> [String] {
        all.flatMap { goal in
            figures.filter {
                $0.name.part == goal.part && $0.name.subject == goal.subject && $0.name.measure == goal.measure
            }.map(goal.line)
        }
    }

    private func line(_ figure: Figure) -> String {
        let value = figure.spread.median
        let isReached = better == .more ? value >= bound : value <= bound
        return String(
            format: "  %@  %@: %.3g, meant to be %@ %.3g", isReached ? "reached" : "missed ", figure.name.description,
            value, better == .more ? "at least" : "at most", bound)
    }
}
