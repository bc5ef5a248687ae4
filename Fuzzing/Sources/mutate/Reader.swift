import Foundation

/// A worker that reads files in a process of its own, which is started again after each finding.
final class Reader {
    private let arguments: [String]
    private var worker: (child: Child, paths: FileHandle, answers: CInt)?

    init(isPiped: Bool) {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        arguments = [program, "read"] + (isPiped ? ["--pipe"] : [])
    }

    deinit { stop() }

    /// Has the file at `path` read; what is not to be is thrown.
    func read(_ path: String) throws(Finding) -> (wasRefused: Bool, peakMemory: Int) {
        let worker = worker ?? start()
        self.worker = worker
        try? worker.paths.write(contentsOf: Data("\(path)\n".utf8))
        guard let answer = answer(worker.answers) else {
            let crash = worker.child.wait(seconds: 1)
            stop()
            throw crash.map { .crash(signal: $0.signal) } ?? .hang
        }
        let words = answer.split(separator: " ")
        let peak = words.last.flatMap { Int($0) } ?? 0
        guard peak <= Finding.memoryLimit else {
            stop()
            throw .memory(peak)
        }
        return (words.first == "refused", peak)
    }

    private func start() -> (child: Child, paths: FileHandle, answers: CInt) {
        let (input, output) = (Pipe(), Pipe())
        // What Swift says of a trap is of no use here.
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(nowhere) }
        guard
            let child = Child(
                arguments, input: input.fileHandleForReading.fileDescriptor,
                output: output.fileHandleForWriting.fileDescriptor, error: nowhere)
        else { fatalError("can't start \(arguments[0])") }
        return (child, input.fileHandleForWriting, dup(output.fileHandleForReading.fileDescriptor))
    }

    private func stop() {
        guard let worker else { return }
        worker.child.end()
        try? worker.paths.close()
        close(worker.answers)
        self.worker = nil
    }

    /// A line; nil where none comes in time, and where the worker has ended.
    private func answer(_ descriptor: CInt) -> String? {
        var text: [UInt8] = []
        let deadline = ContinuousClock.now + .seconds(Finding.timeLimit)
        while text.last != UInt8(ascii: "\n") {
            let rest = deadline - ContinuousClock.now
            guard rest > .zero else { return nil }
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, CInt(rest.components.seconds) * 1000 + 1000) > 0 else { return nil }
            var part = [UInt8](repeating: 0, count: 256)
            let count = Glibc.read(descriptor, &part, part.count)
            guard count > 0 else { return nil }
            text += part[..<count]
        }
        return String(decoding: text.dropLast(), as: UTF8.self)
    }
}
