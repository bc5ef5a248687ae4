import Foundation
import TestSupport
import Testing

@testable import MatteCLI

/// Keys change a live run where the terminal is its own.
struct KeyboardTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        ("b", "b"), ("bb q", "bb q"),
        // Delete, End, the arrows, F1, F5, a letter with Alt.
        ("\u{1B}[3~", "\u{1B}"), ("\u{1B}[1;5F", "\u{1B}"), ("\u{1B}[A\u{1B}[B2", "\u{1B}\u{1B}2"),
        ("\u{1B}OP1", "\u{1B}1"), ("\u{1B}[15~s", "\u{1B}s"), ("\u{1B}q", "\u{1B}"),
        ("\u{1B}", "\u{1B}"), ("\u{1B}[", "\u{1B}"), ("\u{1B}[3", "\u{1B}"), ("\u{1B}O", "\u{1B}"), ("", ""),
    ])
    func whatAKeySendsIsOneKey(sent: String, keys: String) {
        #expect(Keyboard.keys(in: Array(sent.utf8)) == Array(keys))
    }

    @Test func aLetterOfManyBytesIsOneKey() {
        #expect(Keyboard.keys(in: Array("ö1😀2".utf8)).count == 4)
    }

    /// Does what a shell does: has a run in the foreground, sends it to the background while something is typed, and ends it there or
    /// brings it back for a key. Prints how it ended, and whether the terminal is left as shells want it.
    private static let shell = """
        import fcntl, os, signal, sys, termios
        # Nothing hangs for ever, whatever mask the tests hand down.
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        signal.alarm(100)
        program, fifo, way = sys.argv[1:]
        master, terminal = os.openpty()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        settings = termios.tcgetattr(terminal)
        words, said = os.pipe()
        run = os.fork()
        if run == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(terminal, os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.dup2(terminal, 0)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(said, 2)
            os.execv(program, [program, "--live", "--quality", "fast", "--background", "teal", "--format", "rawvideo",
                               "--pix-fmt", "yuv420p", "--size", "64x64", "--output-format", "rawvideo", fifo, "-"])
        os.close(said)
        frames = os.open(fifo, os.O_WRONLY)
        os.write(frames, bytes(64 * 64 * 3 // 2))
        lines = os.fdopen(words)
        for line in lines:
            if line.startswith("keys: "): break
        os.tcsetpgrp(terminal, os.getpgrp())
        termios.tcsetattr(terminal, termios.TCSANOW, settings)
        os.write(master, b"x")
        if way == "foreground":
            os.tcsetpgrp(terminal, run)
            os.write(master, b"q")
        else:
            os.kill(run, signal.SIGTERM)
        status = os.waitpid(run, os.WUNTRACED)[1]
        flags = termios.tcgetattr(terminal)[3]
        print("stopped" if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status),
              bool(flags & termios.ICANON and flags & termios.ECHO))
        if os.WIFSTOPPED(status): os.kill(run, signal.SIGKILL)
        """

    @Test(.timeLimit(.minutes(2)), arguments: [("foreground", "0 True\n"), ("background", "130 True\n")])
    func aRunInTheBackgroundLeavesTheTerminalAlone(way: String, ending: String) throws {
        let fifo = folder.path("frames")
        try #require(mkfifo(fifo, 0o600) == 0)
        // A process of its own session, for it gets a terminal.
        let output = try Tool("setsid")("-w", "python3", "-c", Self.shell, Checkout.program("matte").program, fifo, way)
        #expect(output == ending)
    }
}
