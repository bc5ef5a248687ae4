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
        let runtime = DispatchGroup()
        // While the ends are opened. The program may not end in the midst of it, whatever becomes of them.
        let models = command.configuration.models
        DispatchQueue.global().async(group: runtime) { models.prepareRuntime() }
        defer { runtime.wait() }
        // The first frame of a pipe or a camera may take its time.
        let ends = try interruption.endingProcess(MatteError.interruptedExitCode) { () throws(MatteError) in
            try open()
        }
        console.describe(ends.reader)
        try ends.refuseMisplaced(command, output: command.output, poseOutput: command.matte.poseOutput)
        guard let output = command.output, !ends.isLive else { return try performLive(ends) }
        let filter = MatteFilter(command.configuration)
        ProcessLifetime.keep(filter)
        let run = FileRun(
            command: command, console: console, interruption: interruption, filter: filter, place: nil)
        return try run.perform(ends, to: output, poseOutput: command.matte.poseOutput)
    }

    private func open() throws(MatteError) -> Ends {
        do throws(MediaError) {
            let virtualCamera = try command.output.flatMap { (name) throws(MediaError) in
                try OutputDevice.virtualCamera(name, pixelFormat: command.streams.outputPixelFormat)
            }
            let camera = try VideoDevice.find(command.input, as: .camera)
            let isLive = command.live.live || camera != nil || virtualCamera != nil || command.output == nil
            return Ends(
                reader: try MediaReader(path: command.input, options: command.readerOptions(isLive: isLive)),
                virtualCamera: virtualCamera,
                preview: command.live.preview ? try OutputDevice.window(title: "matte") : nil, isLive: isLive)
        } catch {
            throw MatteError(error)
        }
    }

    private func performLive(_ ends: Ends) throws(MatteError) -> Bool {
        var configuration = command.configuration
        configuration.backgroundStart = ends.reader.offset
        let target = try target(ends)
        let poseWriter = try command.poseWriter(to: command.matte.poseOutput)
        let run = LiveRun(
            console: console, configuration: configuration, outputName: command.output,
            options: LivePipeline.Options(
                watchedDevice: command.live.onDemand ? ends.virtualCamera?.path : nil, frameLimit: command.range.limit,
                duration: command.range.duration?.seconds),
            controlPath: command.live.control, showsStatistics: command.stats)
        return try run.perform(
            reader: ends.reader, readerOptions: command.readerOptions(isLive: true), output: target,
            preview: ends.preview, poseWriter: poseWriter, interruption: interruption)
    }

    private func target(_ ends: Ends) throws(MatteError) -> LiveOutput {
        if let virtualCamera = ends.virtualCamera { return .virtualCamera(virtualCamera) }
        guard let output = command.output else { return .nowhere }
        return .writer(
            try command.writer(
                to: output, reader: ends.reader, interruption: interruption, onWarning: console.warning))
    }
}
