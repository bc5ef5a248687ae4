import Foundation
import Measuring

/// What became worse and what better since the baseline.
///
/// A figure has changed where its median differs by more than `tolerance`,
/// and where the middle halves of both sets of rounds (from quartile to quartile) do not meet.
public struct Comparison: Sendable {
    /// The part of a median by which it may differ.
    public static let tolerance = 0.05
    // What a median near zero may differ by.
    static let slack = 0.02

    /// A figure that has changed.
    public struct Change: Hashable, Sendable, CustomStringConvertible {
        public let name: Figure.Name
        public let before: Spread
        public let after: Spread

        public var description: String {
            "\(name): \(Self.text(before)) before, \(Self.text(after)) now"
        }

        private static func text(_ spread: Spread) -> String {
            String(format: "%.3g (%.3g…%.3g)", spread.median, spread.lowest, spread.highest)
        }
    }

    public private(set) var worse: [Change] = []
    public private(set) var better: [Change] = []
    /// Figures that travel and that the baseline does not have.
    public private(set) var new: [Figure.Name] = []
    /// Names in the baseline, of the parts that were measured, without a figure.
    public private(set) var gone: [String] = []

    /// Compares `figures`, those of them that travel, with `baseline`.
    public init(_ figures: [Figure], with baseline: Baseline) {
        for figure in figures where figure.travels {
            guard let before = baseline.ratios[figure.name.description] else {
                new.append(figure.name)
                continue
            }
            guard Self.isChange(from: before, to: figure.spread) else { continue }
            let change = Change(name: figure.name, before: before, after: figure.spread)
            if (figure.spread.median > before.median) == (figure.better == .more) {
                better.append(change)
            } else {
                worse.append(change)
            }
        }
        let names = Set(figures.map(\.name.description))
        let parts = Set(figures.map(\.name.part))
        gone = baseline.ratios.keys.filter { name in
            !names.contains(name) && parts.contains { Baseline.part($0, has: name) }
        }.sorted()
    }

    private static func isChange(from before: Spread, to after: Spread) -> Bool {
        let allowed = max(tolerance * abs(before.median), slack)
        guard abs(after.median - before.median) > allowed else { return false }
        return after.lowerQuartile > before.upperQuartile || after.upperQuartile < before.lowerQuartile
    }

    /// What to tell, a line each.
    public var lines: [String] {
        let verdict =
            worse.isEmpty && better.isEmpty
            ? ["Nothing that was known changed since the baseline."]
            : ["\(worse.count) worse, \(better.count) better than the baseline."]
        return verdict + worse.map { "  worse   \($0)" } + better.map { "  better  \($0)" }
            + (new.isEmpty ? [] : ["  \(new.count) figures are new to it."]) + gone.map { "  gone    \($0)" }
    }
}
