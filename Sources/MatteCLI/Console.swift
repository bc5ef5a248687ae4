import Glibc
import Media
import Synchronization

/// Standard error: the only place where the program speaks.
final class Console: Sendable {
    enum Verbosity: Comparable, Sendable {
        case quiet, normal, verbose
    }

    let verbosity: Verbosity
    /// Whether a person is looking, so that a line can be written over.
    let isTerminal = isatty(STDERR_FILENO) == 1
    /// Columns of a line that is still open; warnings come from several threads.
    private let openColumns = Mutex(0)

    init(verbosity: Verbosity) {
        self.verbosity = verbosity
    }

    /// Columns of the terminal.
    var width: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    func error(_ text: String) { line("matte: \(text)") }

    func warning(_ text: String) {
        if verbosity >= .normal { line("matte: warning: \(text)") }
    }

    /// Warns of what is wrong with `file`, which is told where there are several.
    func warning(_ text: String, of file: String?) { warning(file.map { "\($0): \(text)" } ?? text) }

    func note(_ text: String, at level: Verbosity = .normal) {
        if verbosity >= level { line(text) }
    }

    /// Says what was asked for by name, at whatever verbosity.
    func report(_ text: String) {
        for part in text.split(separator: "\n") { line(String(part)) }
    }

    /// Writes `text` over the line that this wrote before.
    func status(_ text: String) {
        openColumns.withLock { columns in
            Self.write("\r" + text + String(repeating: " ", count: max(0, columns - text.count)))
            columns = text.count
        }
    }

    /// Names of files, and names in files of others, may hold line breaks and what has a meaning to a terminal; both are left out.
    static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(scalars))
    }

    private func line(_ text: String) {
        let text = Self.printable(text)
        openColumns.withLock { columns in
            Self.write(columns > 0 ? "\r" + String(repeating: " ", count: columns) + "\r" + text + "\n" : text + "\n")
            columns = 0
        }
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { SignalSafeWriter(descriptor: STDERR_FILENO).write(UnsafeRawBufferPointer($0)) }
    }

    /// Says what is in the input.
    func describe(_ reader: MediaReader) {
        let video = reader.video
        let rate = video.frameRate.isKnown ? ", \(video.frameRate) frames per second" : ""
        note(
            "\(reader.path): \(video.codecName) \(video.width)x\(video.height) \(video.pixelFormatName)\(rate)",
            at: .verbose)
        for stream in reader.streams { note("  \(stream)", at: .verbose) }
    }
}
