/// One thing that `matte doctor` looked at.
struct Finding {
    enum State: String {
        case ok, note, problem
    }

    let state: State
    let subject: String
    let text: String
    /// What to do about it.
    var advice: String?

    static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(state: .ok, subject: subject, text: text)
    }

    static func note(_ subject: String, _ text: String, _ advice: String? = nil) -> Finding {
        Finding(state: .note, subject: subject, text: text, advice: advice)
    }

    static func problem(_ subject: String, _ text: String, _ advice: String? = nil) -> Finding {
        Finding(state: .problem, subject: subject, text: text, advice: advice)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    /// A line, and another for the advice, fit for a terminal.
    var lines: String {
        let indent = String(repeating: " ", count: 9 + 13)
        let line = Self.padded(state.rawValue, 9) + Self.padded(subject, 13) + text
        return ([line] + (advice.map { [indent + $0] } ?? [])).map(Console.printable).joined(separator: "\n")
    }
}
