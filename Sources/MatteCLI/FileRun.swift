import Matte
import Media

/// A stored input into a file or a stream, with a filter that may have had other inputs before.
struct FileRun {
    /// Which of many files it is.
    struct Place {
        let number: Int
        let count: Int

        var text: String { "\(number) of \(count)" }
    }

    let command: MatteCommand
    let console: Console
    let interruption: Interruption
    let filter: MatteFilter
    /// nil where there is one file alone.
    let place: Place?

    /// Does the job; returns whether it was interrupted.
    func perform(_ ends: Ends, to output: String, poseOutput: String?) throws(MatteError) -> Bool {
        // The first file's counts the program's start, too.
        let before = place.map { $0.number > 1 } ?? false ? RunStatistics.processorTime : 0
        let reader = ends.reader
        let subject = place == nil ? nil : reader.path
        let writer = try command.writer(to: output, reader: reader, interruption: interruption) { [console] in
            console.warning($0, of: subject)
        }
        let poseWriter = try command.poseWriter(to: poseOutput)
        if command.framing.cropToPerson, !command.framing.follow {
            guard let framing = try searchExtent(reader.path) else { return true }
            filter.framing = framing
        }
        filter.reset()
        filter.backgroundStart = reader.offset
        let isTurned = reader.video.orientation.swapsAxes
        try filter.prepare(
            width: isTurned ? reader.video.height : reader.video.width,
            height: isTurned ? reader.video.width : reader.video.height)
        let pipeline = Pipeline(
            reader: reader, filter: filter, writer: writer, preview: ends.preview, poseWriter: poseWriter)
        interruption.perform { [weak pipeline] in pipeline?.interrupt() }
        var display = ProgressDisplay(console: console, video: reader.video, place: place?.text)
        let summary = try pipeline.run { display.show($0) }
        if filter.isBackgroundDamaged { console.warning("the background is damaged: parts of it are missing") }
        display.finish(summary, output: writer.path, damage: reader.damage + writer.damage, of: subject)
        if command.stats { console.report(summary.statistics.report(since: before)) }
        return summary.wasInterrupted
    }

    /// The part of the picture that the people are in all the way; nil where the search was interrupted.
    private func searchExtent(_ input: String) throws(MatteError) -> Framing? {
        var options = command.readerOptions(isLive: false)
        options.runIn = nil
        let reader: MediaReader
        do throws(MediaError) {
            reader = try MediaReader(path: input, options: options)
        } catch {
            throw MatteError(error)
        }
        let search = PersonExtentSearch(reader: reader, filter: filter)
        interruption.perform { [weak search] in search?.interrupt() }
        console.note("looking for the people first")
        var display = ProgressDisplay(console: console, video: reader.video, place: place?.text)
        let aspect = command.framing.aspect?.ratio
        let region = try search.run(aspect: aspect) { display.show($0) }
        if search.wasInterrupted {
            console.note("interrupted before the first frame; nothing was written")
            return nil
        }
        guard let region else {
            console.warning("nobody was found in \(input): the crop is the middle of the picture")
            return .middle(aspect: aspect)
        }
        return .region(region)
    }
}

extension MatteCommand {
    /// Opens `output` for what is made of `reader`.
    func writer(
        to output: String, reader: MediaReader, interruption: Interruption,
        onWarning: @escaping @Sendable (String) -> Void
    ) throws(MatteError) -> MediaWriter {
        let sound = try backgroundSound(for: reader, interruption: interruption)
        func open() throws(MatteError) -> MediaWriter {
            do throws(MediaError) {
                return try MediaWriter(
                    path: output, settings: encoderSettings, reader: reader, sound: sound, overwrite: overwrite,
                    onWarning: onWarning)
            } catch {
                throw MatteError(error)
            }
        }
        // A FIFO is waited for until somebody reads it.
        guard MediaWriter.isStream(output) else { return try open() }
        return try interruption.endingProcess(MatteError.interruptedExitCode, during: open)
    }

    /// Begins the table of faces at `path`, if one is wanted.
    func poseWriter(to path: String?) throws(MatteError) -> PoseWriter? {
        guard let path else { return nil }
        return try PoseWriter(path: path, overwrite: overwrite, descriptors: StandardDescriptors.inherited)
    }

    private func backgroundSound(
        for reader: MediaReader, interruption: Interruption
    ) throws(MatteError) -> BackgroundSound? {
        guard matte.backgroundAudio, case .media(let path) = matte.background else { return nil }
        return try interruption.endingProcess(MatteError.interruptedExitCode) { () throws(MatteError) in
            do throws(MediaError) {
                return try BackgroundSound(path: path, start: reader.offset, limits: limits.inputLimits)
            } catch {
                throw MatteError(error)
            }
        }
    }
}
