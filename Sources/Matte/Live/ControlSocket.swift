import Dispatch
import Glibc
import Media
import Synchronization

/// A socket of the local machine through which a run is asked things: a line in, a line out.
///
/// Only the user who runs it may use it (unix(7), mode 600). Many may ask at once; each line is answered in its turn. Lines are
/// handed on from a queue of its own. The socket goes away together with the object. Nothing changes after `init`, and Dispatch's
/// sources may be cancelled anywhere, hence `@unchecked Sendable`.
public final class ControlSocket: @unchecked Sendable {
    /// Where a run listens if nobody says otherwise: in the user's runtime folder; nil where there is none, and for a relative path,
    /// which the XDG Base Directory Specification has ignored.
    public static var defaultPath: String? {
        guard let folder = getenv("XDG_RUNTIME_DIR"), folder.pointee == 0x2F else { return nil }
        return String(cString: folder) + "/matte.sock"
    }

    /// A line longer than this is no command, in bytes.
    private static let longestLine = 4096
    /// How many may be connected at once: whoever never leaves takes no descriptor that the run needs.
    private static let mostClients = 64
    /// For how long an answer is waited for, in seconds: a level may have to be loaded first.
    private static let patience = 30

    /// Where it is.
    public let path: String
    private let descriptor: CInt
    /// The socket at `path`; another run may have its own there later on.
    private let file: LocalFile.Identity?
    private let listener: any DispatchSourceRead

    /// Listens at `path`; what a run that ended badly has left there is replaced.
    ///
    /// `onLine` gets each line and what is to be called once with the answer.
    /// - Throws: `MatteError` of kind `cannotCreate` where another run listens, something else lies there, or it can't be made.
    public init(
        path: String, onLine: @escaping @Sendable (String, @escaping @Sendable (String) -> Void) -> Void
    ) throws(MatteError) {
        self.path = path
        let descriptor = try Self.listen(at: path)
        self.descriptor = descriptor
        file = LocalFile(path: path)?.identity
        let queue = DispatchQueue(label: "control")
        listener = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let clients = Clients()
        listener.setEventHandler {
            let client = accept(descriptor, nil, nil)
            guard client >= 0 else { return }
            let connection = Connection(client, of: clients, queue: queue, onLine: onLine)
            connection.start()
            if clients.count.load(ordering: .relaxed) > Self.mostClients { connection.refuse("too many are connected") }
        }
        listener.setCancelHandler { close(descriptor) }
        listener.resume()
    }

    deinit {
        if LocalFile(path: path)?.identity == file { unlink(path) }
        listener.cancel()
    }

    /// Sends `line` to the run that listens at `path`, and waits for its answer.
    ///
    /// - Throws: `MatteError` of kind `usage` for more than a line, `unavailable` where nobody listens or answers.
    public static func ask(_ line: String, at path: String) throws(MatteError) -> String {
        guard !line.utf8.contains(UInt8(ascii: "\n")) else {
            throw MatteError(.usage, "a command is one line: leave the line break out")
        }
        func failure(_ cause: String) -> MatteError { MatteError(.unavailable, "can't ask at '\(path)': \(cause)") }
        let descriptor = try makeSocket(path, failure)
        defer { close(descriptor) }
        guard withAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
            guard errno == ENOENT || errno == ECONNREFUSED else { throw failure(LocalFile.errorText()) }
            throw MatteError(
                .unavailable, "nobody listens at '\(path)': is there a 'matte' that reads a camera or runs with --live?"
            )
        }
        let bytes = Array((line + "\n").utf8)
        // Who turns a client away says why before.
        guard send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count || errno == EPIPE else {
            throw failure(LocalFile.errorText())
        }
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while !answer.contains(UInt8(ascii: "\n")) {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EAGAIN {
                throw MatteError(
                    .unavailable,
                    "there was no answer from '\(path)' for \(Self.patience) s: is the run's output taken?")
            }
            guard count > 0 else { throw MatteError(.unavailable, "there was no answer from '\(path)': the run ended") }
            answer += part[..<count]
        }
        return String(decoding: answer.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private static func makeSocket(
        _ path: String, _ failure: (String) -> MatteError
    ) throws(MatteError) -> CInt {
        guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            throw failure("the path is too long for a socket")
        }
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure(LocalFile.errorText()) }
        return descriptor
    }

    private static func listen(at path: String) throws(MatteError) -> CInt {
        func failure(_ cause: String) -> MatteError {
            MatteError(.cannotCreate, "can't listen for commands at '\(path)': \(cause)")
        }
        let descriptor = try makeSocket(path, failure)
        do throws(MatteError) {
            try removeStale(path, failure)
            guard withAddress(path, { bind(descriptor, $0, $1) }) == 0, chmod(path, 0o600) == 0,
                Glibc.listen(descriptor, 8) == 0
            else { throw failure(LocalFile.errorText()) }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Removes a socket that nobody listens at any more.
    private static func removeStale(_ path: String, _ failure: (String) -> MatteError) throws(MatteError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw failure("something that is no socket lies there") }
        let probe = try makeSocket(path, failure)
        defer { close(probe) }
        guard withAddress(path, { connect(probe, $0, $1) }) != 0 else {
            throw failure("another run listens there; pass --control with another path")
        }
        // Whoever else has a socket there is not to lose it.
        guard errno == ECONNREFUSED else { throw failure(LocalFile.errorText()) }
        unlink(path)
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    /// How many ask.
    private final class Clients: Sendable {
        let count = Atomic(0)
    }

    /// One that asks. Lives until it has said its last and has all answers; all but `send` runs on the socket's queue, hence
    /// `@unchecked Sendable`.
    private final class Connection: @unchecked Sendable {
        private let descriptor: CInt
        private let clients: Clients
        private let source: any DispatchSourceRead
        private let onLine: @Sendable (String, @escaping @Sendable (String) -> Void) -> Void
        private var pending: [UInt8] = []

        init(
            _ descriptor: CInt, of clients: Clients, queue: DispatchQueue,
            onLine: @escaping @Sendable (String, @escaping @Sendable (String) -> Void) -> Void
        ) {
            self.descriptor = descriptor
            self.clients = clients
            self.onLine = onLine
            clients.count.add(1, ordering: .relaxed)
            source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        }

        deinit {
            close(descriptor)
            clients.count.subtract(1, ordering: .relaxed)
        }

        func start() {
            source.setEventHandler { self.receive() }
            // The descriptor is the source's till then.
            source.setCancelHandler { withExtendedLifetime(self) {} }
            source.resume()
        }

        private func receive() {
            var bytes = [UInt8](repeating: 0, count: ControlSocket.longestLine)
            let count = read(descriptor, &bytes, bytes.count)
            pending += bytes[..<max(0, count)]
            // The last line may end with all that is said.
            if count == 0, !pending.isEmpty { pending.append(UInt8(ascii: "\n")) }
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")), end <= ControlSocket.longestLine {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                onLine(line) { answer in self.send(answer) }
            }
            guard pending.count <= ControlSocket.longestLine else {
                return refuse("a line has at most \(ControlSocket.longestLine) bytes")
            }
            if count <= 0 { source.cancel() }
        }

        func refuse(_ cause: String) {
            send("error: " + cause)
            source.cancel()
        }

        private func send(_ answer: String) {
            let bytes = Array((answer + "\n").utf8)
            // The run waits for nobody who does not read.
            let sent = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
            if sent != bytes.count { source.cancel() }
        }
    }
}
