import ArgumentParser
import CGlibc
import Glibc
import Matte

/// The program's entrance: `matte devices`, `matte control` and `matte doctor` are commands of their own, all else is a run.
///
/// Not subcommands of one parser: a run has no name of its own, and its help is the program's.
@main
enum Program {
    static func main() {
        StandardDescriptors.occupy()
        growHeapsInLargeSteps()
        CrashHandler.install(arguments: Array(CommandLine.arguments.dropFirst()))
        do throws(MatteError) {
            let arguments = try Arguments()
            let words = arguments.words
            switch words.first {
            case "devices": try run(DevicesCommand.self, Array(words.dropFirst()))
            case "control": try run(ControlCommand.self, Array(words.dropFirst()))
            case "doctor": try run(DoctorCommand.self, Array(words.dropFirst()))
            default:
                try arguments.refuseNamesWithADash()
                try run(MatteCommand.self, words)
            }
        } catch {
            if error.kind != .readerGone { Console(verbosity: .normal).error(error.description) }
            ProcessLifetime.end(error.kind.exitCode)
        }
        ProcessLifetime.end(0)
    }

    /// Runs a command as its own `main` would, but for help and the like that can't be written: that is an error.
    private static func run(_ command: any ParsableCommand.Type, _ arguments: [String]) throws(MatteError) {
        do {
            var command = try command.parseAsRoot(arguments)
            try command.run()
        } catch let error as MatteError {
            throw error
        } catch let code as ExitCode {
            ProcessLifetime.end(code.rawValue)
        } catch {
            guard command.exitCode(for: error).isSuccess else { command.exit(withError: error) }
            try StandardOutput.write(command.fullMessage(for: error) + "\n")
        }
    }

    // Networks that are loaded side by side make the heaps of their threads grow page by page, and each page is a call of the
    // kernel that stops the other threads: some ten thousand of them. Setting one of these also ends glibc's own adjusting of
    // the other two, which stand at what it would go to at most (mallopt(3)).
    private static func growHeapsInLargeSteps() {
        mallopt(M_TOP_PAD, 16 << 20)
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, 64 << 20)
    }
}
