import Imaging
import Matte
import Media

/// A live run of the command: its pipeline, and everybody who may speak to it.
struct LiveRun {
    let console: Console
    let configuration: Configuration
    /// What the command line calls the output; nil for the preview alone.
    let outputName: String?
    let options: LivePipeline.Options
    /// Where commands are taken; nil for the user's own place.
    let controlPath: String?
    let showsStatistics: Bool

    /// Runs to its end; returns whether it was interrupted.
    func perform(
        reader: MediaReader, readerOptions: MediaReader.Options, output: LiveOutput, preview: OutputDevice?,
        poseWriter: PoseWriter?, interruption: Interruption
    ) throws(MatteError) -> Bool {
        var display = ProgressDisplay(console: console, video: reader.video, isLive: true)
        let pipeline = try LivePipeline(
            reader: reader, readerOptions: readerOptions, configuration: configuration, output: output,
            preview: preview, poseWriter: poseWriter, options: options, onNotice: { describe($0) })
        ProcessLifetime.keep(pipeline)
        let socket: ControlSocket?
        do throws(MatteError) {
            socket = try listen(pipeline)
        } catch {
            output.discard()
            poseWriter?.discard()
            throw error
        }
        let keyboard = self.keyboard(pipeline)
        defer { keyboard?.release() }
        interruption.perform { [weak pipeline] in
            keyboard?.release()
            pipeline?.interrupt()
        }
        if let socket { console.note("matte control --socket '\(socket.path)' changes the run", at: .verbose) }
        if keyboard != nil { console.note(LiveKeys.help) }
        let (summary, statistics) = try pipeline.run { display.show($0) }
        display.finish(
            summary, output: outputName, damage: (reader.isCamera ? Damage() : reader.damage) + output.damage,
            droppedCount: statistics.droppedCount)
        if showsStatistics { console.report(statistics.report()) }
        return summary.wasInterrupted
    }

    /// Listens for commands; that another run has the user's own place is no reason to stop.
    private func listen(_ pipeline: LivePipeline) throws(MatteError) -> ControlSocket? {
        guard let path = controlPath ?? ControlSocket.defaultPath else { return nil }
        do throws(MatteError) {
            return try ControlSocket(path: path) { [weak pipeline] line, reply in
                do throws(MatteError) {
                    pipeline?.perform(try LiveCommand(line), reply: reply)
                } catch {
                    reply("error: \(error.description)")
                }
            }
        } catch {
            guard controlPath == nil else { throw error }
            console.warning(error.description)
            return nil
        }
    }

    private func keyboard(_ pipeline: LivePipeline) -> Keyboard? {
        let keys = LiveKeys(background: configuration.background)
        return Keyboard { [console, weak pipeline] key in
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
