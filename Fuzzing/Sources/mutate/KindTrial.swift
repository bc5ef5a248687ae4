import Foundation

/// Damaged files of one kind, one after another.
struct KindTrial {
    struct Tally {
        var files = 0
        var refused = 0
        var findings = 0
        var peakMemory = 0
        var seconds = 0.0

        var row: String {
            let numbers = [files, refused, findings, peakMemory >> 20, Int(seconds.rounded())]
            return numbers.map { String(repeating: " ", count: max(0, 9 - String($0).count)) + String($0) }.joined()
        }
    }

    struct Result {
        let kind: String
        var reading = Tally()
        var program = Tally()
        /// What was found, with the path of the file that brought it about.
        var findings: [String] = []

        var row: String {
            kind + String(repeating: " ", count: max(0, 6 - kind.count)) + reading.row + " |" + program.row
        }
    }

    private let kind: String
    private let command: MutateCommand
    private let seeds: [(name: String, bytes: [UInt8])]
    private let folder: URL

    init(kind: String, command: MutateCommand) throws {
        self.kind = kind
        self.command = command
        let place = URL(filePath: command.seeds).appending(path: kind)
        seeds = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted().map { name in
            (name, [UInt8](try Data(contentsOf: place.appending(path: name))))
        }
        folder = URL(filePath: "/dev/shm/matte-mutate-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: command.findings, withIntermediateDirectories: true)
    }

    func perform() -> Result {
        defer { try? FileManager.default.removeItem(at: folder) }
        var result = Result(kind: kind)
        let isPiped = kind == "y4m"
        let reader = Reader(isPiped: isPiped)
        let program = command.program.map { WholeProgram(program: $0, folder: folder) }
        for index in 0..<command.count {
            // By the index, so that one file can be made again without those before it.
            var generator = Generator(seed: command.seed &* 1_000_003 &+ UInt64(index))
            let seed = seeds[index % seeds.count]
            let bytes = Mutation.damaged(seed.bytes, &generator)
            let file = folder.appending(path: "in-\(index)-\(seed.name)")
            try? Data(bytes).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            measure(&result.reading, file, &result.findings) { () throws(Finding) in try reader.read(file.path) }
            guard let program, index / seeds.count % command.every == 0 else { continue }
            let outputExtension = file.pathExtension == "gif" ? "mkv" : file.pathExtension
            measure(&result.program, file, &result.findings) { () throws(Finding) in
                let (code, peak) = try program.run(file.path, outputExtension: outputExtension, isPiped: isPiped)
                return (code != 0, peak)
            }
        }
        return result
    }

    private func measure(
        _ tally: inout Tally, _ file: URL, _ findings: inout [String],
        _ body: () throws(Finding) -> (wasRefused: Bool, peakMemory: Int)
    ) {
        let start = ContinuousClock.now
        tally.files += 1
        do throws(Finding) {
            let (wasRefused, peak) = try body()
            if wasRefused { tally.refused += 1 }
            tally.peakMemory = max(tally.peakMemory, peak)
        } catch {
            tally.findings += 1
            let kept = "\(command.findings)/\(file.lastPathComponent)"
            try? FileManager.default.removeItem(atPath: kept)
            try? FileManager.default.copyItem(atPath: file.path, toPath: kept)
            findings.append("\(error): \(kept)")
        }
        tally.seconds += (ContinuousClock.now - start) / .seconds(1)
    }
}
