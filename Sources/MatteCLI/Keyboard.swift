import Dispatch
import Glibc

/// Single keys from the terminal that standard input is, as long as it lives.
///
/// Nothing changes after `init`, and Dispatch's sources may be cancelled anywhere, hence `@unchecked Sendable`.
final class Keyboard: @unchecked Sendable {
    private let before: termios
    private let source: any DispatchSourceRead

    /// Calls `onKey` for each key from here on, from a queue of its own; nil where standard input is no terminal, or another
    /// program has it at hand.
    init?(onKey: @escaping @Sendable (Character) -> Void) {
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &settings) == 0
        else { return nil }
        before = settings
        // Keys come at once and unseen; Ctrl-C stays what it is.
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "keyboard"))
        source.setEventHandler {
            var byte: UInt8 = 0
            guard read(STDIN_FILENO, &byte, 1) == 1 else { return }
            onKey(Character(UnicodeScalar(byte)))
        }
        source.resume()
    }

    /// Gives the terminal back as it was.
    func release() {
        source.cancel()
        var settings = before
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
}
