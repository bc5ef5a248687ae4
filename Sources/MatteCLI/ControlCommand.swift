import ArgumentParser
import Glibc
import Matte

/// `matte control`: asks a live run to change, or how it goes.
struct ControlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matte control",
        abstract: "Changes a live run while it goes on.",
        discussion: """
            Commands:
              background NAME   put something else behind the people
              effect NAME …     put effects on it: dim, desaturate, pixelate, spotlight, shadow, outline, light-wrap; none
              quality LEVEL     do more or less for the mask: fast, balanced or accurate
              off, on, toggle   show the picture as it is, and matte it again
              status            tell what is shown, and how it goes
              quit              end the run

            The answer is one line: 'ok' with what is shown now, or an error. Exit codes: 0 done, 64 refused, 69 nobody \
            listens.
            """)

    @Option(help: ArgumentHelp("The socket that the run listens at (default: the user's own).", valueName: "path"))
    var socket: String?

    @Argument(help: "The command.")
    var words: [String]

    func run() throws {
        do throws(MatteError) {
            let answer = try ask()
            guard !answer.hasPrefix("error: ") else { throw MatteError(.usage, String(answer.dropFirst(7))) }
            try StandardOutput.write(answer + "\n")
        } catch {
            Console(verbosity: .normal).error(error.description)
            throw ExitCode(error.kind.exitCode)
        }
    }

    private func ask() throws(MatteError) -> String {
        guard let path = socket ?? ControlSocket.defaultPath else {
            throw MatteError(
                .unavailable,
                "there is no XDG_RUNTIME_DIR, where a run listens: pass --control to it, and --socket here")
        }
        return try ControlSocket.ask(line, at: path)
    }

    /// The command as one line; a file of this folder by its whole path, since the run has another.
    private var line: String {
        let line = words.joined(separator: " ")
        guard case .background(.media(let path)) = try? LiveCommand(line), !path.hasPrefix("/"),
            access(path, F_OK) == 0, let folder = getcwd(nil, 0)
        else { return line }
        defer { free(folder) }
        return "background \(String(cString: folder))/\(path)"
    }
}
