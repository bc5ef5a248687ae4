import CFFmpeg
import Glibc

/// An `AVIOContext` on a file descriptor: the one door through which FFmpeg reads and writes bytes.
///
/// A stream (pipe, FIFO, device) is read as far as its bytes are there and wanted, and is waited for, and so is the reader of one
/// that is written. `interrupt` may be called from any thread, all else from one at a time, hence `@unchecked Sendable`.
final class DescriptorIO: @unchecked Sendable {
    let context: UnsafeMutablePointer<AVIOContext>
    /// Bytes read so far.
    private(set) var byteCount: Int64 = 0
    /// Why reading failed, if it did; libavformat takes any failure for the end.
    private(set) var failure: AVError?

    private static let bufferSize = 1 << 16
    /// Milliseconds for which a reader may take nothing once the writing is interrupted.
    private static let patience: CInt = 3000
    private let descriptor: CInt
    private let ownsDescriptor: Bool
    /// Whether what is written goes into a socket, where any wait is asked for with the bytes.
    private let isSocket: Bool
    /// Whether it goes into another user's pipe, which can't be opened once more: a write of more than is free blocks.
    private let isBlockingPipe: Bool
    /// Where the descriptor stood at first; that is position 0.
    private let origin: Int64
    /// Where the next bytes of a file are read; nil for a stream and for what is written. The descriptor itself stays where it is,
    /// so that standard input can be read twice at once.
    private var readPosition: Int64?
    /// nil where nothing is ever waited for.
    private let wakeUp: WakeUp?
    /// Bytes that were looked at before FFmpeg asked for them.
    private var peeked: [UInt8] = []
    private var isOpen = true

    /// Opens the file, FIFO or device at `path` for reading; `-` is standard input, which stays open afterwards.
    convenience init(reading path: String, isStream: Bool) throws(AVError) {
        if let descriptor = StandardStream.inputDescriptor(of: path) {
            try self.init(descriptor, owns: false, writes: false, isStream: isStream)
        } else {
            try self.init(try Self.open(path, O_RDONLY), owns: true, writes: false, isStream: isStream)
        }
    }

    /// Opens the FIFO or device at `path` for writing; `-` is standard output, which stays open afterwards.
    convenience init(writingStream path: String) throws(AVError) {
        if let descriptor = StandardStream.outputDescriptor(of: path) {
            try self.init(writingStream: descriptor)
        } else {
            let descriptor = try Self.open(path, O_WRONLY)
            if LocalFile(descriptor: descriptor)?.isFIFO ?? false { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
            try self.init(descriptor, owns: true, writes: true, isStream: true)
        }
    }

    /// Writes to a pipe or device that somebody else keeps open.
    convenience init(writingStream descriptor: CInt) throws(AVError) {
        let own = Self.openPipe(descriptor)
        try self.init(own ?? descriptor, owns: own != nil, writes: true, isStream: true)
    }

    /// Opens the pipe of `descriptor` once more, so that no write to it blocks and its other users notice nothing; nil for what is no
    /// pipe or may not be opened.
    private static func openPipe(_ descriptor: CInt) -> CInt? {
        guard LocalFile(descriptor: descriptor)?.isFIFO ?? false else { return nil }
        return try? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK)
    }

    /// Makes a file that isn't there yet.
    convenience init(creating path: String) throws(AVError) {
        try self.init(try Self.open(path, O_WRONLY | O_CREAT | O_EXCL), owns: true, writes: true, isStream: false)
    }

    /// Writes to a file that somebody else keeps open.
    convenience init(writing descriptor: CInt) throws(AVError) {
        try self.init(descriptor, owns: false, writes: true, isStream: false)
    }

    private static func open(_ path: String, _ flags: CInt) throws(AVError) -> CInt {
        while true {
            let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw AVError.system(errno) }
        }
    }

    private init(_ descriptor: CInt, owns: Bool, writes: Bool, isStream: Bool) throws(AVError) {
        self.descriptor = descriptor
        ownsDescriptor = owns
        let file = LocalFile(descriptor: descriptor)
        isSocket = writes && file?.isSocket ?? false
        isBlockingPipe = writes && file?.isFIFO ?? false && fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0
        origin = isStream ? 0 : max(0, Int64(lseek(descriptor, 0, SEEK_CUR)))
        readPosition = isStream || writes ? nil : 0
        wakeUp = isStream ? try WakeUp() : nil
        let buffer = try AVError.allocated(av_malloc(Self.bufferSize)).assumingMemoryBound(to: UInt8.self)
        let size = CInt(Self.bufferSize)
        let allocated =
            writes
            ? avio_alloc_context(
                buffer, size, 1, nil, nil,
                { opaque, bytes, size in
                    Unmanaged<DescriptorIO>.fromOpaque(opaque!).takeUnretainedValue().write(bytes!, Int(size))
                }, nil)
            : avio_alloc_context(
                buffer, size, 0, nil,
                { opaque, bytes, size in
                    Unmanaged<DescriptorIO>.fromOpaque(opaque!).takeUnretainedValue().read(bytes!, Int(size))
                }, nil, nil)
        context = try AVError.allocated(allocated)
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.seekable = isStream ? 0 : AVIO_SEEKABLE_NORMAL
        guard !isStream else { return }
        context.pointee.seek = { opaque, offset, origin in
            Unmanaged<DescriptorIO>.fromOpaque(opaque!).takeUnretainedValue().seek(offset, origin)
        }
    }

    deinit { close() }

    /// Whether any position can be gone to.
    var isSeekable: Bool { context.pointee.seekable != 0 }
    /// Where the next byte is read or written.
    var position: Int64 { avio_seek(context, 0, SEEK_CUR) }

    /// Ends the wait for bytes that don't come: the input ends here. Whoever reads what is written may take the rest, but is
    /// not waited for any more where nothing is taken.
    func interrupt() { wakeUp?.interrupt() }

    /// Whether the input was ended by `interrupt`.
    var isInterrupted: Bool { wakeUp?.isInterrupted ?? false }

    /// Whether a stream that nothing was read from yet begins with `bytes`; waits for no more than tells.
    func begins(with bytes: [UInt8]) -> Bool {
        while peeked.count < bytes.count, bytes.starts(with: peeked) {
            var rest = [UInt8](repeating: 0, count: bytes.count - peeked.count)
            let count = rest.withUnsafeMutableBufferPointer { readDescriptor($0.baseAddress!, $0.count) }
            guard count > 0 else { break }
            peeked += rest[..<Int(count)]
        }
        return peeked == bytes
    }

    /// Hands on what is still buffered.
    func flush() throws(AVError) {
        avio_flush(context)
        try AVError.check(context.pointee.error)
    }

    /// Waits until what was written is on the disk.
    static func sync(_ descriptor: CInt) throws(AVError) {
        // A file system that can't do it says EINVAL; there is nothing to wait for then.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw AVError.system(errno) }
    }

    /// Closes the descriptor, unless it is a standard one; what is still buffered is lost.
    func close() {
        guard isOpen else { return }
        isOpen = false
        var context: UnsafeMutablePointer<AVIOContext>? = context
        av_freep(&self.context.pointee.buffer)
        avio_context_free(&context)
        if ownsDescriptor { Glibc.close(descriptor) }
    }

    // MARK: What FFmpeg calls

    private func read(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int) -> CInt {
        guard peeked.isEmpty else {
            let count = min(size, peeked.count)
            bytes.update(from: peeked, count: count)
            peeked.removeFirst(count)
            return CInt(count)
        }
        return readDescriptor(bytes, size)
    }

    private func readDescriptor(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int) -> CInt {
        while true {
            if wakeUp?.wait(for: descriptor) == .interrupted { return FFErrorEndOfFile }
            let count =
                readPosition.map { pread(descriptor, bytes, size, off_t(origin + $0)) }
                ?? Glibc.read(descriptor, bytes, size)
            if count > 0 {
                readPosition = readPosition.map { $0 + Int64(count) }
                byteCount += Int64(count)
                return CInt(count)
            }
            if count == 0 { return FFErrorEndOfFile }
            guard errno == EINTR || errno == EAGAIN else {
                failure = AVError.system(errno)
                return FFError(errno)
            }
        }
    }

    private func write(_ bytes: UnsafeRawPointer, _ size: Int) -> CInt {
        var done = 0
        while done < size {
            if isBlockingPipe, !waitForReader() { return FFErrorExit }
            // So many go into any pipe that takes some (pipe(7)).
            let (rest, length) = (bytes + done, isBlockingPipe ? min(size - done, Int(PIPE_BUF)) : size - done)
            let count =
                isSocket
                ? send(descriptor, rest, length, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
                : Glibc.write(descriptor, rest, length)
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                guard waitForReader() else { return FFErrorExit }
            } else if errno != EINTR {
                return FFError(errno)
            }
        }
        return CInt(size)
    }

    /// Waits until the reader has taken something; false where it takes nothing although the writing is interrupted.
    private func waitForReader() -> Bool {
        guard wakeUp?.wait(for: descriptor, to: POLLOUT) == .interrupted else { return true }
        var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&event, 1, Self.patience) != 0
    }

    private func seek(_ offset: Int64, _ whence: CInt) -> Int64 {
        if whence & AVSEEK_SIZE != 0 {
            guard let file = LocalFile(descriptor: descriptor) else { return Int64(FFError(errno)) }
            return file.size - origin
        }
        let whence = whence & ~AVSEEK_FORCE
        if let readPosition { return seek(offset, whence, from: readPosition) }
        let position = lseek(descriptor, Int(whence == SEEK_SET ? origin + offset : offset), whence)
        return position < 0 ? Int64(FFError(errno)) : Int64(position) - origin
    }

    private func seek(_ offset: Int64, _ whence: CInt, from current: Int64) -> Int64 {
        let base: Int64
        switch whence {
        case SEEK_SET: base = 0
        case SEEK_CUR: base = current
        case SEEK_END:
            guard let file = LocalFile(descriptor: descriptor) else { return Int64(FFError(errno)) }
            base = file.size - origin
        default: return Int64(FFError(EINVAL))
        }
        let (position, isFar) = base.addingReportingOverflow(offset)
        // No file reaches beyond, and where this one begins is still added to it.
        guard !isFar, (0...Int64.max / 2).contains(position) else { return Int64(FFError(EINVAL)) }
        readPosition = position
        return position
    }
}
