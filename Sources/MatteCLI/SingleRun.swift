import Dispatch
import Matte
import Media

/// One input into one output, as the command line names them: a file, or something live.
struct SingleRun {
    let command: MatteCommand
    let console: Console
    let interruption: Interruption

    /// Does the job; returns whether it was interrupted.
    func perform() throws(MatteError) -> Bool {
        // Before other threads run.
        let preview = try window()
        let runtime = DispatchGroup()
        // While the ends are opened. The program may not end in the midst of it, whatever becomes of them.
        let models = command.configuration.models
        DispatchQueue.global().async(group: runtime) { models.prepareRuntime() }
        defer { runtime.wait() }
        // The first frame of a pipe or a camera may take its time.
        let ends = try interruption.endingProcess(MatteError.interruptedExitCode) { () throws(MatteError) in
            try open(preview: preview)
        }
        console.describe(ends.reader)
        try ends.refuseMisplaced(command, output: command.output, poseOutput: command.matte.poseOutput)
        guard let output = command.output, !ends.isLive else {
            return try LiveRun(command: command, console: console, interruption: interruption).perform(ends)
        }
        let filter = MatteFilter(command.configuration)
        ProcessLifetime.keep(filter)
        // A background that is a stream may be waited for.
        try interruption.endingProcess(MatteError.interruptedExitCode, during: filter.prepareBackground)
        let run = FileRun(
            command: command, console: console, interruption: interruption, filter: filter, place: nil)
        return try run.perform(ends, to: output, poseOutput: command.matte.poseOutput)
    }

    private func window() throws(MatteError) -> OutputDevice? {
        guard command.live.preview else { return nil }
        do throws(MediaError) {
            return try OutputDevice.window(title: "matte")
        } catch {
            throw MatteError(error)
        }
    }

    private func open(preview: OutputDevice?) throws(MatteError) -> Ends {
        do throws(MediaError) {
            let virtualCamera = try command.output.flatMap { (name) throws(MediaError) in
                try OutputDevice.virtualCamera(name, pixelFormat: command.streams.outputPixelFormat)
            }
            let camera = try VideoDevice.find(command.input, as: .camera)
            let isLive = command.live.live || camera != nil || virtualCamera != nil || command.output == nil
            return Ends(
                reader: try MediaReader(path: command.input, options: command.readerOptions(isLive: isLive)),
                virtualCamera: virtualCamera, preview: preview, isLive: isLive)
        } catch {
            throw MatteError(error)
        }
    }
}
