import Matte
import Media

/// Many inputs, one after the other, into a folder: one filter for all, so that the networks are loaded once.
struct BatchRun {
    let command: MatteCommand
    /// Where the outputs go.
    let folder: String
    let console: Console
    let interruption: Interruption

    /// What became of the inputs.
    private struct Tally {
        var doneCount = 0
        var failed: [String] = []
        var cutShort: String?
        var notBegun: [String] = []
    }

    /// Does all of it; returns the exit code: that of the first file that failed, or of an interrupt.
    ///
    /// - Throws: `MatteError` for what ends the whole run: what can be told before it begins, and a missing model or runtime.
    func perform() throws(MatteError) -> Int32 {
        let entries = try Batch(command, into: folder, onWarning: console.warning).entries
        let filter = MatteFilter(command.configuration)
        ProcessLifetime.keep(filter)
        // What is missing for all of them, files of any size tell.
        // A background that is a stream may be waited for.
        try interruption.endingProcess(MatteError.interruptedExitCode, during: filter.prepareBackground)
        try filter.prepare(width: 1280, height: 720)
        _ = try Folder(making: folder)
        var tally = Tally()
        var exitCode: Int32 = 0
        for (index, entry) in entries.enumerated() {
            guard !interruption.hasCome else {
                tally.notBegun = entries[index...].map(\.input)
                break
            }
            let run = FileRun(
                command: command, console: console, interruption: interruption, filter: filter,
                place: FileRun.Place(number: index + 1, count: entries.count))
            do throws(MatteError) {
                if try perform(entry, run) { tally.cutShort = entry.input } else { tally.doneCount += 1 }
            } catch {
                console.error(error.description)
                if exitCode == 0 { exitCode = error.kind.exitCode }
                tally.failed.append(entry.input)
            }
        }
        tell(tally, of: entries.count)
        return interruption.hasCome ? MatteError.interruptedExitCode : exitCode
    }

    /// Returns whether the job was interrupted.
    private func perform(_ entry: Batch.Entry, _ run: FileRun) throws(MatteError) -> Bool {
        let job: Batch.Job
        switch entry {
        case .job(let ready): job = ready
        case .failure(_, let error): throw error
        }
        let ends: Ends
        do throws(MediaError) {
            ends = Ends(reader: try MediaReader(path: job.input, options: command.readerOptions(isLive: false)))
        } catch {
            throw MatteError(error)
        }
        console.describe(ends.reader)
        try ends.refuseMisplaced(command, output: job.output, poseOutput: job.poseOutput)
        return try run.perform(ends, to: job.output, poseOutput: job.poseOutput)
    }

    private func tell(_ tally: Tally, of count: Int) {
        var words = "\(tally.doneCount) of \(count) files done"
        if let name = tally.cutShort { words += "; interrupted: \(name)" }
        if !tally.failed.isEmpty { words += "; failed: \(tally.failed.joined(separator: ", "))" }
        if !tally.notBegun.isEmpty { words += "; not begun: \(tally.notBegun.joined(separator: ", "))" }
        if tally.failed.isEmpty { console.note(words) } else { console.error(words) }
    }
}
