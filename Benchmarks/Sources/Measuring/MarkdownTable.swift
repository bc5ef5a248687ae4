/// A table in Markdown.
public struct MarkdownTable: Sendable {
    private let lines: [[String]]

    /// A table whose columns `head` names, with `rows` of as many cells.
    public init(_ head: [String], _ rows: [[String]]) {
        precondition(rows.allSatisfy { $0.count == head.count }, "every row has the head's cells")
        lines = [head, head.map { _ in "---" }] + rows
    }

    /// The table, without a newline at the end.
    public var markdown: String { lines.map(Self.line).joined(separator: "\n") }

    private static func line(_ cells: [String]) -> String {
        "|" + cells.map { $0.isEmpty ? " |" : $0 == "---" ? "---|" : " \($0) |" }.joined()
    }
}
