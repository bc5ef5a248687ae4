import ArgumentParser

/// The program's entrance: `matte devices`, `matte control` and `matte doctor` are commands of their own, all else is a run.
///
/// Not subcommands of one parser: a run has no name of its own, and its help is the program's.
@main
enum Program {
    static func main() {
        StandardDescriptors.occupy()
        let arguments = Array(CommandLine.arguments.dropFirst())
        CrashHandler.install(arguments: arguments)
        switch arguments.first {
        case "devices": DevicesCommand.main(Array(arguments.dropFirst()))
        case "control": ControlCommand.main(Array(arguments.dropFirst()))
        case "doctor": DoctorCommand.main(Array(arguments.dropFirst()))
        default: MatteCommand.main(arguments)
        }
    }
}
