import ArgumentParser
import Matte

/// Where many inputs go.
struct BatchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Folder for the outputs of all inputs, made where it is not there; each keeps its input's name.",
            valueName: "folder"),
        completion: .directory)
    var outputDir: String?

    @Option(
        help: ArgumentHelp(
            "Extension of these outputs, such as mkv (default: the input's, or one whose container holds the result).",
            valueName: "extension"))
    var outputExtension: String?

    func validate() throws {
        if outputDir?.isEmpty == true {
            throw ValidationError("--output-dir takes a folder, such as out, or . for this one")
        }
        guard let outputExtension else { return }
        if outputDir == nil { throw ValidationError("--output-extension needs --output-dir") }
        if outputExtension.isEmpty || outputExtension.contains("/") {
            throw ValidationError("--output-extension takes an extension such as mkv")
        }
    }

    /// What is wrong with the other options of a run with a folder for many outputs, in one sentence; nil where nothing is.
    func misplacedOption(in command: MatteCommand) -> String? {
        guard outputDir != nil else { return nil }
        if command.inputs.contains("-") {
            return "with --output-dir inputs are files and folders: standard input has no name for its output"
        }
        let live = [
            ("--live", command.live.live), ("--on-demand", command.live.onDemand), ("--preview", command.live.preview),
            ("--control", command.live.control != nil),
        ]
        if let option = live.first(where: \.1)?.0 { return "\(option) is for one input: leave it or --output-dir out" }
        if command.streams.outputFormat != nil {
            return "--output-format is for one output: with --output-dir choose with --output-extension"
        }
        if let table = command.matte.poseOutput, PoseWriter.Format(rawValue: table) == nil {
            return "with --output-dir --pose-output takes csv or jsonl, for a table beside each output"
        }
        return nil
    }
}

extension MatteCommand {
    /// All inputs; one alone without a folder for many outputs.
    var inputs: [String] { batch.outputDir == nil ? [input] : [input] + others }
}
