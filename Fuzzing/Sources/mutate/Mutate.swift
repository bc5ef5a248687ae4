import ArgumentParser

/// Has damaged files read, and tells what came of them.
@main
struct Mutate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutate",
        abstract: "Damages small media files in many ways and has each read: none may crash, hang or take much memory.",
        subcommands: [MutateCommand.self, ReadWorker.self], defaultSubcommand: MutateCommand.self)
}
