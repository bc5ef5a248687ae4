import ArgumentParser
import Foundation

/// Damages the seeds of each kind and has them read in a process of its own; a part of them by the whole program.
struct MutateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "files", shouldDisplay: false)

    @Option(help: "Folder of the seeds, with a folder for each kind.")
    var seeds: String

    @Option(help: "Folder for the files that were found.")
    var findings: String

    @Option(help: "The program, by its path; without it nothing but reading is tried.")
    var program: String?

    @Option(help: "Files of each kind.")
    var count = 2000

    @Option(help: "Every how many files one goes through the whole program, too.")
    var every = 20

    @Option(help: "Where the generator begins; one number gives the same files again.")
    var seed: UInt64 = 1

    @Argument(help: "The kinds (default: all).")
    var kinds: [String] = []

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let all = ["mp4", "mov", "mkv", "webm", "mpegts", "avi", "y4m", "gif", "png", "jpeg", "webp"]
        say("kind      files  refused    found  peak MiB   seconds | program  refused    found  peak MiB   seconds")
        var isSound = true
        for kind in kinds.isEmpty ? all : kinds {
            let trial = try KindTrial(kind: kind, command: self)
            let result = trial.perform()
            say(result.row)
            isSound = isSound && result.findings.isEmpty
            for finding in result.findings { say("  found: \(finding)") }
        }
        if !isSound { throw ExitCode.failure }
    }

    /// Each line is there at once, whoever reads it.
    private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
