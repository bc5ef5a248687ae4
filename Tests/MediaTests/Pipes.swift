import Foundation
import TestSupport

@testable import Media

extension TemporaryFolder {
    /// Makes a FIFO and returns its path.
    func makeFIFO(_ name: String) throws -> String {
        // Whoever reads may stop before the end, which is an error to look at, not a signal to die of.
        signal(SIGPIPE, SIG_IGN)
        guard mkfifo(path(name), 0o600) == 0 else { throw CommandFailure(text: "mkfifo: \(errno)") }
        return path(name)
    }
}

/// The end of a FIFO that writes: bytes are in the pipe when `write` returns, and no end comes before `close`.
final class Feed: @unchecked Sendable {
    private let descriptor: CInt
    private let lock = NSLock()
    private var isOpen = true

    /// Opens the FIFO for both ways, so that nobody waits for the other end.
    ///
    /// A reader that waits for more than was written would wait for ever; it gets an end after a minute instead.
    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure(text: "open: \(errno)") }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [weak self] in self?.close() }
    }

    deinit { close() }

    /// At most what a pipe holds, 64 KiB.
    func write(_ bytes: some DataProtocol) throws {
        let bytes = Array(bytes)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw CommandFailure(text: "write: \(errno)")
        }
    }

    func close() {
        lock.withLock {
            guard isOpen else { return }
            isOpen = false
            Glibc.close(descriptor)
        }
    }
}

/// The end of a FIFO that takes what is there and waits for nothing.
final class Tap {
    private let descriptor: CInt

    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure(text: "open: \(errno)") }
    }

    deinit { close(descriptor) }

    /// How many bytes came since the last call.
    func take() -> Int {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        return max(0, read(descriptor, &bytes, bytes.count))
    }
}

/// The end of a FIFO that reads all to the end, in a thread of its own.
final class Drain: @unchecked Sendable {
    private let done = DispatchGroup()
    private var data = Data()

    init(_ path: String) {
        DispatchQueue(label: "drain").async(group: done) {
            self.data = (try? FileHandle(forReadingAtPath: path)?.readToEnd()) ?? Data()
        }
    }

    /// Everything that was written; waits for the end.
    var bytes: Data {
        done.wait()
        return data
    }
}

/// Writes a file's bytes into a FIFO in a thread of its own, as `cat` does.
func pour(_ file: String, into path: String) {
    DispatchQueue(label: "pour").async {
        guard let data = FileManager.default.contents(atPath: file), let handle = FileHandle(forWritingAtPath: path)
        else { return }
        try? handle.write(contentsOf: data)
        try? handle.close()
    }
}
