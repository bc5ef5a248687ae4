/// What no file may bring about.
enum Finding: Error, CustomStringConvertible {
    case crash(signal: Int32)
    case hang
    case memory(Int)
    case exitCode(Int32)
    case words(String)
    case leftOver(String)
    case noOutput

    /// Seconds that one file may take.
    static let timeLimit = 10.0
    /// Bytes that one file may take.
    static let memoryLimit = 1 << 30

    var description: String {
        switch self {
        case .crash(let signal): "crash (signal \(signal))"
        case .hang: "hang (more than \(Int(Self.timeLimit)) s)"
        case .memory(let peak): "\(peak >> 20) MiB of memory"
        case .exitCode(let code): "exit code \(code)"
        case .words(let words): "not one sentence: \(words)"
        case .leftOver(let name): "'\(name)' is left though it failed"
        case .noOutput: "no output though it succeeded"
        }
    }
}
