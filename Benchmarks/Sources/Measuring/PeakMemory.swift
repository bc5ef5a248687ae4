import Foundation
import Synchronization

/// Watches the most memory that a process has in use at a time (proc(5), VmHWM).
///
/// A process's own account of it (`wait4`) begins with what its parent had in use, so the file is read again and again; the
/// figure never falls, and what it grows in the last hundredth of a second is missed.
final class PeakMemory: Sendable {
    private let bytes = Atomic(0)
    private let isDone = Atomic(false)
    private let watching = DispatchGroup()

    /// Begins to watch `process`.
    init(of process: pid_t) {
        let path = "/proc/\(process)/status"
        DispatchQueue(label: "peak-memory").async(group: watching) {
            while !self.isDone.load(ordering: .relaxed) {
                if let found = Self.read(path) { self.bytes.store(found, ordering: .relaxed) }
                usleep(10_000)
            }
        }
    }

    /// Stops watching, and tells the bytes.
    func stop() -> Int {
        isDone.store(true, ordering: .relaxed)
        watching.wait()
        return bytes.load(ordering: .relaxed)
    }

    private static func read(_ path: String) -> Int? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, CInt(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if let bytes = Self.bytes(inLine: text) { return bytes }
        }
        return nil
    }

    /// The figure in a line of the file, if it is that one.
    static func bytes(inLine line: String) -> Int? {
        let words = line.split(whereSeparator: \.isWhitespace)
        guard words.count > 1, words[0] == "VmHWM:", let kibibytes = Int(words[1]) else { return nil }
        return kibibytes * 1024
    }
}
