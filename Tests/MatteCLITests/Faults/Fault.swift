import TestSupport
import Testing

/// One thing that goes wrong: how it is made, what must come of it, and the test that tries it.
struct Fault: Sendable, CustomTestStringConvertible {
    /// What goes wrong.
    let name: String
    /// How it is made.
    let means: String
    /// What the user sees.
    let outcome: String
    let attempt: @Sendable (FaultBench) throws -> Void

    init(
        _ name: String, _ means: String, _ outcome: String, attempt: @escaping @Sendable (FaultBench) throws -> Void
    ) {
        (self.name, self.means, self.outcome, self.attempt) = (name, means, outcome, attempt)
    }

    var testDescription: String { name }

    /// All that are tried, by what is at fault.
    static let groups: [(title: String, faults: [Fault])] = [
        ("The input is broken or lies", input), ("The input reaches for more than it is", reach),
        ("The output can't be written", output), ("The process is disturbed", process),
    ]
}

extension Fault {
    /// The groups as tables in Markdown.
    static var tables: String {
        groups.map { title, faults in
            "## \(title)\n\n| fault | how it is made | what comes of it |\n|---|---|---|\n"
                + faults.map { "| \($0.name) | \($0.means) | \($0.outcome) |\n" }.joined()
        }.joined(separator: "\n")
    }
}
