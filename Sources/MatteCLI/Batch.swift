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

    /// An input in the place where it was named, or what lies in a folder.
    enum Entry {
        case job(Job)
        /// What can't be begun, and why.
        case failure(input: String, MatteError)

        var input: String {
            switch self {
            case .job(let job): job.input
            case .failure(let input, _): input
            }
        }
    }

    let entries: [Entry]

    /// Finds the inputs of `command` and settles where each goes, below the folder at `path`; `onWarning` gets a sentence for each
    /// file of a folder that is passed over.
    ///
    /// - Throws: `MatteError` where an output is in the way of another, of an input or of a file that is there, or can't hold what is
    ///   asked for.
    init(_ command: MatteCommand, into path: String, onWarning: (String) -> Void) throws(MatteError) {
        let options = command.readerOptions(isLive: false)
        var entries: [Entry] = []
        for name in command.inputs {
            guard let folder = Folder(name) else {
                try Self.refuseStream(name)
                try Self.refuseCamera(name)
                let kind = MediaKind(path: name, options: options) ?? .video
                entries.append(.job(try Self.job(name, kind: kind, command, path)))
                continue
            }
            let files: [(path: String, kind: MediaKind)]
            do throws(MatteError) {
                files = try Self.media(in: folder, options, onWarning: onWarning)
            } catch {
                entries.append(.failure(input: name, error))
                continue
            }
            for file in files { entries.append(.job(try Self.job(file.path, kind: file.kind, command, path))) }
        }
        self.entries = entries
        try refuseCollisions(background: command.matte.background, overwrite: command.overwrite)
    }

    /// The videos and pictures of a folder.
    ///
    /// - Throws: `MatteError` of kind `noInput` where it can't be read, and where there is none.
    private static func media(
        in folder: Folder, _ options: MediaReader.Options, onWarning: (String) -> Void
    ) throws(MatteError) -> [(path: String, kind: MediaKind)] {
        var media: [(path: String, kind: MediaKind)] = []
        for file in try folder.files(onWarning: onWarning) {
            if let kind = MediaKind(path: file, options: options) {
                media.append((file, kind))
            } else {
                onWarning("\(file) is passed over: it is no video and no picture")
            }
        }
        guard !media.isEmpty else {
            throw MatteError(.noInput, "can't read '\(folder.path)': no video and no picture lies in the folder")
        }
        return media
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
        let base = LocalFile.path(of: stem, inFolder: folder)
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
        let jobs = entries.compactMap { if case .job(let job) = $0 { job } else { nil } }
        var sources = Set(jobs.compactMap { LocalFile(path: $0.input)?.identity })
        if case .media(let path) = background, let file = LocalFile(path: path) { sources.insert(file.identity) }
        // By their bytes, as file systems have them: to Swift names are the same that are written with other code points.
        var makers: [[UInt8]: String] = [:]
        for job in jobs {
            for output in [job.output] + (job.poseOutput.map { [$0] } ?? []) {
                if let other = makers.updateValue(job.input, forKey: Array(output.utf8)) {
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
