import Foundation
import MatteMetrics
import Measuring

/// The evaluations of a run and their means.
public struct Report: Encodable, Sendable {
    /// Grad and Conn are of every `every`th frame.
    public let every: Int
    public let evaluations: [Evaluation]
    public let means: [LevelMean]

    /// The mean over all clips of one level.
    public struct LevelMean: Encodable, Sendable {
        public let level: String
        public let clips: Int
        public let scores: MatteScores
        public let milliseconds: Double
        public let cpuMilliseconds: Double
    }

    public init(_ evaluations: [Evaluation], every: Int) {
        self.every = every
        self.evaluations = evaluations
        var levels: [String] = []
        for evaluation in evaluations where !levels.contains(evaluation.level) { levels.append(evaluation.level) }
        means = levels.map { level in
            let rows = evaluations.filter { $0.level == level }
            func mean(_ value: KeyPath<Evaluation, Double>) -> Double {
                rows.reduce(0) { $0 + $1[keyPath: value] } / Double(rows.count)
            }
            return LevelMean(
                level: level, clips: rows.count, scores: MatteScores.mean(of: rows.map(\.scores))!,
                milliseconds: mean(\.milliseconds), cpuMilliseconds: mean(\.cpuMilliseconds))
        }
    }

    /// Writes the report as JSON, its keys sorted, to `path`.
    ///
    /// - Throws: `BenchmarkError` where the file can't be written.
    public func writeJSON(to path: String) throws {
        try JSONFile.write(self, to: path)
    }

    /// The table's first line, over clips whose names have at most `nameWidth` characters.
    public static func header(nameWidth: Int) -> String {
        line(
            "clip", "level", ["MAD", "MSE", "Grad", "Conn", "dtSSD", "IoU", "ms", "CPU ms", "worst"],
            nameWidth: nameWidth)
    }

    /// The table's line of `evaluation`.
    public static func line(_ evaluation: Evaluation, nameWidth: Int) -> String {
        line(
            evaluation.clip, evaluation.level,
            cells(evaluation.scores, evaluation.milliseconds, evaluation.cpuMilliseconds)
                + [String(evaluation.worst.index)],
            nameWidth: nameWidth)
    }

    /// The table's line of `mean`.
    public static func line(_ mean: LevelMean, nameWidth: Int) -> String {
        line(
            "mean of \(mean.clips)", mean.level, cells(mean.scores, mean.milliseconds, mean.cpuMilliseconds) + [""],
            nameWidth: nameWidth)
    }

    private static func cells(_ scores: MatteScores, _ milliseconds: Double, _ cpuMilliseconds: Double) -> [String] {
        [scores.mad, scores.mse, scores.grad, scores.conn, scores.dtssd].map { String(format: "%.2f", $0) }
            + [String(format: "%.4f", scores.iou)]
            + [milliseconds, cpuMilliseconds].map { String(format: "%.1f", $0) }
    }

    private static func line(_ clip: String, _ level: String, _ cells: [String], nameWidth: Int) -> String {
        let name = clip.padding(toLength: max(nameWidth, 10), withPad: " ", startingAt: 0)
        let level = level.padding(toLength: 9, withPad: " ", startingAt: 0)
        let numbers = cells.map { String(repeating: " ", count: max(0, 7 - $0.count)) + $0 }
        return ([name, level] + numbers).joined(separator: " ")
    }
}
