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
            let arguments = try Arguments().words
            switch arguments.first {
            case "devices": DevicesCommand.main(Array(arguments.dropFirst()))
            case "control": ControlCommand.main(Array(arguments.dropFirst()))
            case "doctor": DoctorCommand.main(Array(arguments.dropFirst()))
            default: MatteCommand.main(arguments)
            }
        } catch {
            Console(verbosity: .normal).error(error.description)
            exit(error.kind.exitCode)
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
