import ArgumentParser
import Foundation
import Media
import Reading

/// Reads file after file for the one that started it: a path in, a line out.
struct ReadWorker: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "read", shouldDisplay: false)

    @Flag(help: "Read through a pipe.")
    var pipe = false

    func run() {
        LibraryLog.setLevel(.quiet)
        signal(SIGPIPE, SIG_IGN)
        while let path = readLine() {
            forgetPeak()
            let outcome = pipe ? readPiped(path) : InputReading(path: path).perform()
            let word = if case .read = outcome { "read" } else { "refused" }
            FileHandle.standardOutput.write(Data("\(word) \(peakMemory)\n".utf8))
        }
    }

    private func readPiped(_ path: String) -> InputReading.Outcome {
        let pipe = Pipe()
        let input = pipe.fileHandleForWriting
        let writing = DispatchGroup()
        DispatchQueue.global().async(group: writing) {
            try? input.write(contentsOf: FileManager.default.contents(atPath: path) ?? Data())
            try? input.close()
        }
        defer {
            try? pipe.fileHandleForReading.close()
            writing.wait()
        }
        return InputReading(path: "/proc/self/fd/\(pipe.fileHandleForReading.fileDescriptor)").perform()
    }

    /// The kernel counts the most memory anew from here on (proc(5), clear_refs).
    private func forgetPeak() {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "5", 1)
        close(descriptor)
    }

    /// Bytes.
    private var peakMemory: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}
