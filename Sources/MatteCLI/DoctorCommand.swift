import ArgumentParser
import Matte
import MatteVision
import Media

/// `matte doctor`: says whether what the program needs is there and works, and what to do about what does not.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matte doctor",
        abstract: "Checks that everything that matte needs is there and works.",
        discussion: """
            Each line is 'ok', a 'problem' that keeps matte from working, or a 'note' about what is missing but not always \
            needed; a line below it tells what to do.

            Exit codes: 0 what is needed works, 69 there is a problem.
            """)

    @Option(help: ArgumentHelp("Folder of the models.", valueName: "folder"), completion: .directory)
    var models: String?

    @Option(
        help: ArgumentHelp("Try the segmentation model that a JSON description names, too.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var model: String?

    @Option(help: ArgumentHelp("OpenVINO's name of the device that runs the networks.", valueName: "name"))
    var device = "CPU"

    func validate() throws { try HardwareOptions.validate(device: device) }

    func run() throws {
        LibraryLog.setLevel(.quiet)
        var library = ModelLibrary(directory: models, segmentationModel: model)
        library.device = device
        let diagnosis = Diagnosis(models: library)
        var hasProblem = false
        let groups = [
            diagnosis.program, diagnosis.processor, diagnosis.runtime, diagnosis.networks, diagnosis.cache,
            diagnosis.codecs, diagnosis.hardware, diagnosis.cameras, diagnosis.crashes,
        ]
        for group in groups {
            for finding in group() {
                try StandardOutput.write(finding.lines + "\n")
                if finding.state == .problem { hasProblem = true }
            }
        }
        let verdict = hasProblem ? "Something that is needed does not work." : "Everything that is needed works."
        try StandardOutput.write("\n\(verdict)\n")
        if hasProblem { throw ExitCode(MatteError.Kind.unavailable.exitCode) }
    }
}
