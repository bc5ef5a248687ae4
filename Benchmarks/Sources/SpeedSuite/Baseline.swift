import Foundation
import Measuring

/// The figures that travel between machines, as they were when somebody found them good: what a run is compared with.
public struct Baseline: Codable, Hashable, Sendable {
    /// The figures' names and spreads.
    public private(set) var ratios: [String: Spread]

    public init() { ratios = [:] }

    /// Reads the file at `path`.
    ///
    /// - Throws: `BenchmarkError` where it can't be read.
    public init(path: String) throws {
        self = try JSONFile.read(Baseline.self, from: path)
    }

    /// Takes over `figures` that travel; others of the same parts are dropped, and those of other parts stay.
    public mutating func update(with figures: [Figure]) {
        let parts = Set(figures.map(\.name.part))
        ratios = ratios.filter { name, _ in !parts.contains { Self.part($0, has: name) } }
        for figure in figures where figure.travels { ratios[figure.name.description] = figure.spread.rounded }
    }

    /// Writes it to `path`.
    ///
    /// - Throws: `BenchmarkError` where the file can't be written.
    public func write(to path: String) throws {
        try JSONFile.write(self, to: path)
    }

    static func part(_ part: Part, has name: String) -> Bool { name.hasPrefix("\(part.rawValue) / ") }
}

extension Spread {
    // Four digits tell all that such measurements know, and keep changes of the file readable.
    fileprivate var rounded: Spread { map { Double(String(format: "%.4g", $0))! } }
}
