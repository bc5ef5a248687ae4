import Glibc
import Matte
import Media

/// What is made of many inputs: all that can be told before the work begins.
struct Batch {
    /// One input and what comes of it.
    struct Job {
        let input: String
        let output: String
        /// The table of its faces; nil where none is wanted.
        let poseOutput: String?
    }

    let jobs: [Job]

    /// Finds the inputs of `command` and settles where each goes, below the folder at `path`; `onWarning` gets a sentence for each
    /// file of a folder that is passed over.
    ///
    /// - Throws: `MatteError` where an output is in the way of another, of an input or of a file that is there, can't hold what is
    ///   asked for, or where there is no input.
    init(_ command: MatteCommand, into path: String, onWarning: (String) -> Void) throws(MatteError) {
        let options = command.readerOptions(isLive: false)
        var jobs: [Job] = []
        for name in command.inputs {
            guard let folder = Folder(name) else {
                try Self.refuseStream(name)
                try Self.refuseCamera(name)
                let kind = MediaKind(path: name, options: options) ?? .video
                jobs.append(try Self.job(name, kind: kind, command, path))
                continue
            }
            let before = jobs.count
            for file in try folder.files(onWarning: onWarning) {
                if let kind = MediaKind(path: file, options: options) {
                    jobs.append(try Self.job(file, kind: kind, command, path))
                } else {
                    onWarning("\(file) is passed over: it is no video and no picture")
                }
            }
            guard jobs.count > before else {
                throw MatteError(.noInput, "can't read '\(name)': no video and no picture lies in the folder")
            }
        }
        self.jobs = jobs
        try refuseCollisions(background: command.matte.background, overwrite: command.overwrite)
    }

    /// What can be read only once is gone after the look at what it holds.
    private static func refuseStream(_ name: String) throws(MatteError) {
        guard let file = LocalFile(path: name), file.isStream, !file.isVideoDevice else { return }
        throw MatteError(.usage, "can't read '\(name)': it is a stream, and --output-dir is for files; name an output")
    }

    private static func refuseCamera(_ name: String) throws(MatteError) {
        do throws(MediaError) {
            guard try VideoDevice.find(name, as: .camera) != nil else { return }
        } catch {
            throw MatteError(error)
        }
        throw MatteError(.usage, "can't read '\(name)': it is a camera, and --output-dir is for files; name an output")
    }

    private static func job(
        _ input: String, kind: MediaKind, _ command: MatteCommand, _ folder: String
    ) throws(MatteError) -> Job {
        let settings = command.encoderSettings
        let wanted = command.batch.outputExtension.map { $0.hasPrefix(".") ? String($0.dropFirst()) : $0 }
        let ending = wanted ?? OutputExtension.usual(for: input, kind: kind, settings: settings)
        let own = OutputExtension.of(input)
        let name = input.split(separator: "/").last.map(String.init) ?? input
        let stem = own.isEmpty ? name : String(name.dropLast(own.count + 1))
        let base = folder.hasSuffix("/") ? folder + stem : "\(folder)/\(stem)"
        let output = "\(base).\(ending)"
        do throws(MediaError) {
            try OutputExtension.check(output, kind: kind, settings: settings)
        } catch {
            throw MatteError(error)
        }
        return Job(input: input, output: output, poseOutput: command.matte.poseOutput.map { "\(base).\($0)" })
    }

    private func refuseCollisions(
        background: Configuration.BackgroundKind, overwrite: Bool
    ) throws(MatteError) {
        var sources = Set(jobs.compactMap { LocalFile(path: $0.input)?.identity })
        if case .media(let path) = background, let file = LocalFile(path: path) { sources.insert(file.identity) }
        var makers: [String: String] = [:]
        for job in jobs {
            for output in [job.output] + (job.poseOutput.map { [$0] } ?? []) {
                if let other = makers.updateValue(job.input, forKey: output) {
                    throw MatteError(
                        .cannotCreate,
                        "can't create '\(output)': both '\(other)' and '\(job.input)' would become it; "
                            + "rename one, or take it in a run of its own")
                }
                guard let existing = LocalFile(path: output) else { continue }
                if sources.contains(existing.identity) {
                    throw MatteError(
                        .cannotCreate,
                        "can't create '\(output)': it is one of the files that are read; choose another folder")
                }
                if existing.isDirectory {
                    throw MatteError(.cannotCreate, "can't create '\(output)': it is a folder")
                }
                if !overwrite {
                    throw MatteError(
                        .cannotCreate,
                        "can't create '\(output)': it exists already; choose another folder, or pass --overwrite")
                }
            }
        }
    }
}
