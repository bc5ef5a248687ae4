import Imaging
import Matte
import Media

/// A live run of the command: its pipeline, and everybody who may speak to it.
struct LiveRun {
    let command: MatteCommand
    let console: Console
    let interruption: Interruption

    /// Runs to its end; returns whether it was interrupted.
    func perform(_ ends: Ends) throws(MatteError) -> Bool {
        let reader = ends.reader
        var configuration = command.configuration
        configuration.backgroundStart = reader.offset
        let filter = LivePipeline.filter(configuration)
        // A background that is a stream may be waited for.
        try interruption.endingProcess(MatteError.interruptedExitCode, during: filter.prepareBackground)
        let output = try target(ends)
        let poseWriter = try command.poseWriter(to: command.matte.poseOutput)
        let options = LivePipeline.Options(
            watchedDevice: command.live.onDemand ? ends.virtualCamera?.path : nil, frameLimit: command.range.limit,
            duration: command.range.duration?.seconds)
        var display = ProgressDisplay(console: console, video: reader.video, isLive: true)
        let pipeline = try LivePipeline(
            reader: reader, readerOptions: command.readerOptions(isLive: true), filter: filter, output: output,
            preview: ends.preview, poseWriter: poseWriter, options: options, onNotice: { describe($0) })
        ProcessLifetime.keep(pipeline)
        let socket: ControlSocket?
        do throws(MatteError) {
            socket = try listen(pipeline)
        } catch {
            output.discard()
            poseWriter?.discard()
            throw error
        }
        let keyboard = self.keyboard(pipeline, LiveKeys(background: configuration.background))
        defer { keyboard?.release() }
        interruption.perform { [weak pipeline] in
            keyboard?.release()
            pipeline?.interrupt()
        }
        if let socket { console.note("matte control --socket '\(socket.path)' changes the run", at: .verbose) }
        if keyboard != nil { console.note(LiveKeys.help) }
        let summary = try pipeline.run { display.show($0) }
        display.finish(
            summary, output: command.output, damage: (reader.isCamera ? Damage() : reader.damage) + output.damage)
        if command.stats { console.report(summary.statistics.report()) }
        return summary.wasInterrupted
    }

    private func target(_ ends: Ends) throws(MatteError) -> LiveOutput {
        if let virtualCamera = ends.virtualCamera { return .virtualCamera(virtualCamera) }
        guard let output = command.output else { return .nowhere }
        return .writer(
            try command.writer(
                to: output, reader: ends.reader, interruption: interruption, onWarning: console.warning))
    }

    /// Listens for commands; that another run has the user's own place is no reason to stop.
    private func listen(_ pipeline: LivePipeline) throws(MatteError) -> ControlSocket? {
        guard let path = command.live.control ?? ControlSocket.defaultPath else { return nil }
        do throws(MatteError) {
            return try ControlSocket(path: path) { [weak pipeline] line, reply in
                do throws(MatteError) {
                    pipeline?.perform(try LiveCommand(line), reply: reply)
                } catch {
                    reply("error: \(error.description)")
                }
            }
        } catch {
            guard command.live.control == nil else { throw error }
            console.warning(error.description)
            return nil
        }
    }

    private func keyboard(_ pipeline: LivePipeline, _ keys: LiveKeys) -> Keyboard? {
        Keyboard { [console, weak pipeline] key in
            guard let command = keys.command(for: key) else { return console.note(LiveKeys.help) }
            pipeline?.perform(command) { console.note($0) }
        }
    }

    private func describe(_ notice: LivePipeline.Notice) {
        switch notice {
        case .lost(let error):
            console.warning("\(error.description); waiting for it, the background is shown meanwhile")
        case .silent(let seconds):
            console.warning("no picture came from the input for \(seconds.fixed(0)) s; the last one stays meanwhile")
        case .returned: console.note("the camera is back")
        case .resting: console.note("nobody watches: the camera is let go")
        case .watched: console.note("somebody watches: the camera is taken up")
        case .previewClosed: console.note("the preview was closed")
        case .overloaded(let arriving, let made, let level):
            let advice =
                level.map { "--quality \($0.rawValue) should hold" } ?? "choose a smaller --size or a lower --rate"
            console.warning(
                "this machine makes \(made.fixed(0)) of the \(arriving.fixed(0)) frames that come each second; \(advice)"
            )
        }
    }
}
