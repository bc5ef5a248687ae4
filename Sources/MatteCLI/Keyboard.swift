import Dispatch
import Glibc
import Synchronization

/// Single keys from the terminal that standard input is, as long as it lives.
///
/// The terminal is a run's only in the foreground of it: a shell that stops the run (Ctrl-Z) and sends it on in the background takes
/// it back, with settings of its own. Keys are those of the shell then, and touching the terminal would stop the run (termios(3),
/// SIGTTIN and SIGTTOU). Nobody tells a process that it came to the foreground, so that it looks now and then.
final class Keyboard: Sendable {
    private struct State {
        /// What the terminal was like before it was set to give single keys; nil where that was never done.
        var before: termios?
        var isReleased = false
    }

    /// Milliseconds between two looks at whose terminal it is.
    private static let interval: CInt = 300

    private let state = Mutex(State())

    /// Calls `onKey` for each key from here on, from a queue of its own; nil where standard input is no terminal, or another
    /// program has it at hand.
    init?(onKey: @escaping @Sendable (Character) -> Void) {
        guard isatty(STDIN_FILENO) == 1, Self.isInForeground else { return nil }
        // One moment's mistake about whose terminal it is costs a key, and not the run.
        signal(SIGTTIN, SIG_IGN)
        takeTerminal()
        DispatchQueue(label: "keyboard").async { self.listen(onKey) }
    }

    /// Gives the terminal back as it was.
    func release() {
        state.withLock { state in
            guard !state.isReleased else { return }
            state.isReleased = true
            guard Self.isInForeground, var settings = state.before else { return }
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
    }

    /// The keys that are in what a terminal sent at once.
    ///
    /// Keys without a character, such as Delete and the arrows, send an escape sequence (ECMA-48), and a letter beyond ASCII is several
    /// bytes long; each is one key.
    static func keys(in bytes: [UInt8]) -> [Character] {
        var keys: [Character] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            keys.append(Character(UnicodeScalar(byte)))
            if byte == 0x1B {
                dropSequence(&rest)
            } else if byte >= 0xC0 {
                rest = rest.drop { 0x80..<0xC0 ~= $0 }
            }
        }
        return keys
    }

    /// Drops what follows an escape: parameters and a final byte behind `[`, a byte behind `O`, or the key that Alt was held with.
    private static func dropSequence(_ rest: inout ArraySlice<UInt8>) {
        guard let kind = rest.popFirst() else { return }
        if kind == UInt8(ascii: "[") { rest = rest.drop { 0x20..<0x40 ~= $0 } }
        if kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") { rest = rest.dropFirst() }
    }

    private static var isInForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    private func listen(_ onKey: (Character) -> Void) {
        while takeTerminal() {
            guard Self.waitForKey() else { continue }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count == 0 { return }
            for key in Self.keys(in: Array(bytes.prefix(max(0, count)))) { onKey(key) }
        }
    }

    /// Waits until it is time for another look; whether there is a key for this run then.
    private static func waitForKey() -> Bool {
        var event = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // In the background what is typed is the shell's, and would end the wait at once.
        return poll(&event, isInForeground ? 1 : 0, interval) > 0 && isInForeground
    }

    /// Has keys come at once and unseen, where the terminal is this run's; Ctrl-C stays what it is. False once it is released.
    @discardableResult
    private func takeTerminal() -> Bool {
        state.withLock { state in
            guard !state.isReleased else { return false }
            var settings = termios()
            let single = tcflag_t(ICANON | ECHO)
            guard Self.isInForeground, tcgetattr(STDIN_FILENO, &settings) == 0, settings.c_lflag & single != 0 else {
                return true
            }
            state.before = settings
            settings.c_lflag &= ~single
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
            return true
        }
    }
}
