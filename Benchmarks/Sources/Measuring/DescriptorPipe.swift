import CLinux
import Glibc

/// A pipe whose ends no program that is started gets by chance.
public final class DescriptorPipe: @unchecked Sendable {
    // Each end is closed by the one thread that uses it, hence @unchecked Sendable.
    public private(set) var readEnd: CInt
    public private(set) var writeEnd: CInt

    /// A pipe of the system's usual capacity, or of `capacity` bytes as far as the system allows.
    ///
    /// - Throws: `BenchmarkError` where the system has no descriptors left.
    public init(capacity: Int? = nil) throws {
        var ends: [CInt] = [0, 0]
        guard linux_pipe(&ends) == 0 else {
            throw BenchmarkError("can't make a pipe: \(String(cString: strerror(errno)))")
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        if let capacity { _ = linux_set_pipe_capacity(writeEnd, CInt(capacity)) }
    }

    deinit {
        closeReadEnd()
        closeWriteEnd()
    }

    public func closeReadEnd() {
        if readEnd >= 0 { close(readEnd) }
        readEnd = -1
    }

    public func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    /// All that is written to it until the last writer is gone.
    func readToEnd() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(readEnd, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
