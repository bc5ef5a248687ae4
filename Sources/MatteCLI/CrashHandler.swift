import CGlibc
import Glibc
import MatteVision
import Media

/// Writes a report when the program crashes, and lets it die of the signal that it crashed with.
///
/// A program that crashes can't be trusted with its memory: all that the handler needs is made ready at the start, and the handler
/// calls what signal-safety(7) allows alone, besides `backtrace`, whose library is loaded beforehand.
enum CrashHandler {
    /// What a trap, a bad address, a bad instruction or an abort end with.
    private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]
    /// Seconds after which a handler that hangs, such as on a dead network folder, is ended.
    private static let patience: UInt32 = 10
    private static let mapSize = 1 << 20
    private static let frameLimit = 64

    /// Everything that the handler needs, for as long as the program runs.
    private struct Preparation {
        /// The report's beginning.
        let header: UnsafeMutablePointer<CChar>
        /// The folder's path.
        let folder: UnsafeMutablePointer<CChar>
        /// Room for the report's path.
        let path: UnsafeMutablePointer<CChar>
        /// The report that gives way; nil for none.
        let oldest: UnsafeMutablePointer<CChar>?
        /// Room for the map of the process.
        let map: UnsafeMutableRawBufferPointer
        let frames: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    }

    /// Set once, before any handler can run.
    nonisolated(unsafe) private static var preparation: UnsafeMutablePointer<Preparation>?
    /// The thread that writes the report; 0 for none.
    nonisolated(unsafe) private static var owner: UnsafeMutablePointer<UInt>?

    /// Catches crashes from here on; not where there is no home to keep a report in.
    static func install(arguments: [String]) {
        guard let reports = CrashReports(), let map = room(mapSize) else { return }
        let frames = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: frameLimit)
        // The first call loads the library that walks the stack.
        _ = backtrace(frames, 1)
        preparation = .allocate(capacity: 1)
        preparation?.initialize(
            to: Preparation(
                header: strdup(header(arguments)), folder: strdup(reports.folder),
                path: .allocate(capacity: reports.folder.utf8.count + 64), oldest: reports.tidy().map { strdup($0) },
                map: map, frames: frames))
        owner = .allocate(capacity: 1)
        owner?.initialize(to: 0)

        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = { signal, info, context in
            CrashHandler.handle(signal, info, context)
        }
        // Not on an alternate stack: OpenVINO puts one of its own in that place, which is too small for a report. So a stack that
        // is full leaves none.
        action.sa_flags = SA_SIGINFO
        // A crash in the handler ends the program at once: what is held back can't be waited for.
        for signal in signals { sigaddset(&action.sa_mask, signal) }
        for signal in signals { sigaction(signal, &action, nil) }
        // Whoever started the program may hold some back.
        sigprocmask(SIG_UNBLOCK, &action.sa_mask, nil)
    }

    /// Memory that costs nothing until it is used.
    private static func room(_ size: Int) -> UnsafeMutableRawBufferPointer? {
        guard let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), base != MAP_FAILED
        else { return nil }
        return UnsafeMutableRawBufferPointer(start: base, count: size)
    }

    private static func header(_ arguments: [String]) -> String {
        var system = utsname()
        uname(&system)
        let kernel = withUnsafeBytes(of: system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let machine = withUnsafeBytes(of: system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return """
            matte crashed. No names of files or people are in here, so that this may be attached to an issue.

            matte \(Version.number)
            \(LibraryVersions.text)
            OpenVINO \(ModelLibrary.runtimeVersion)
            Linux \(kernel) \(machine)
            command: \(CommandLineSummary(arguments).text)

            """
    }
}

// What runs in the handler.
extension CrashHandler {
    private static func handle(
        _ signal: CInt, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
    ) {
        guard let preparation, let owner else { return die(signal) }
        let first = BacktraceClaim(owner, pthread_self())
        // Nothing holds abort() back: the handler itself has crashed, as it may where memory is short.
        if first == pthread_self() { return die(signal) }
        // Threads that crash at the same time wait for the first one to end them all.
        while first != 0 { pause() }
        limitTime()
        let descriptor = makeReport(preparation.pointee)
        let report = SignalSafeWriter(descriptor: descriptor)
        if descriptor >= 0 { describe(preparation.pointee, report, signal, info) }
        tell(signal, descriptor >= 0 ? preparation.pointee.path : nil)
        // Last, because a stack that is destroyed ends the program here.
        if descriptor >= 0 {
            writeBacktrace(preparation.pointee, report, context.map { BacktraceProgramCounter($0) } ?? 0)
        }
        die(signal)
    }

    /// Makes `signal` end the program as if there had been no handler, when the handler returns: it is held back until then.
    private static func die(_ signal: CInt) {
        Glibc.signal(signal, SIG_DFL)
        raise(signal)
    }

    /// Ends the program after some seconds.
    private static func limitTime() {
        Glibc.signal(SIGALRM, SIG_DFL)
        // Dispatch's threads hold it back, and all do where whoever started the program did.
        var alarms = sigset_t()
        sigaddset(&alarms, SIGALRM)
        pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
        alarm(patience)
    }

    private static func tell(_ signal: CInt, _ path: UnsafePointer<CChar>?) {
        let console = SignalSafeWriter(descriptor: STDERR_FILENO)
        if isatty(STDERR_FILENO) == 1 { console.write("\n") }
        console.write("matte: crashed (signal ")
        console.write(decimal: UInt(signal))
        guard let path else { return console.write("); no report could be written\n") }
        console.write("); the report is in '")
        console.write(path)
        console.write("': please attach it to an issue\n")
    }

    /// Makes an empty report in the place of the oldest; returns its descriptor, which is below 0 where it can't be made.
    private static func makeReport(_ preparation: Preparation) -> CInt {
        makeFolders(preparation.folder)
        name(preparation, UTCTime(seconds: time(nil)))
        let descriptor = open(preparation.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor >= 0, let oldest = preparation.oldest { unlink(oldest) }
        return descriptor
    }

    private static func describe(
        _ preparation: Preparation, _ report: SignalSafeWriter, _ signal: CInt, _ info: UnsafeMutablePointer<siginfo_t>?
    ) {
        report.write(preparation.header)
        report.write("signal: ")
        report.write(decimal: UInt(signal))
        if let info {
            if BacktraceIsSent(info) != 0 {
                report.write(", sent by a program")
            } else {
                report.write(", at address ")
                report.write(hexadecimal: BacktraceFaultAddress(info))
            }
        }
        report.write("\n\nprocessor:\n")
        writeProcessor(preparation, report)
    }

    /// The folder and those above it, for this user alone.
    private static func makeFolders(_ path: UnsafeMutablePointer<CChar>) {
        var index = 1
        while path[index] != 0 {
            if path[index] == 0x2F {
                path[index] = 0
                mkdir(path, 0o700)
                path[index] = 0x2F
            }
            index += 1
        }
        mkdir(path, 0o700)
    }

    private static func name(_ preparation: Preparation, _ now: UTCTime) {
        let path = preparation.path
        strcpy(path, preparation.folder)
        strcat(path, "/crash-")
        var end = path + strlen(path)
        func add(_ number: Int, digits: Int) {
            var (rest, place) = (number, digits)
            while place > 0 {
                place -= 1
                end[place] = CChar(truncatingIfNeeded: 0x30 + rest % 10)
                rest /= 10
            }
            end += digits
        }
        add(now.year, digits: 4)
        add(now.month, digits: 2)
        add(now.day, digits: 2)
        end[0] = 0x54
        end += 1
        add(now.hour, digits: 2)
        add(now.minute, digits: 2)
        add(now.second, digits: 2)
        end[0] = 0x5A
        end[1] = 0x2D
        end += 2
        let process = Int(getpid())
        var digits = 1
        var rest = process
        while rest >= 10 {
            digits += 1
            rest /= 10
        }
        add(process, digits: digits)
        strcpy(end, ".txt")
    }

    private static func writeBacktrace(_ preparation: Preparation, _ report: SignalSafeWriter, _ counter: UInt) {
        report.write("\nbacktrace ('swift demangle' reads the names):\n")
        let map = MemoryMap(into: preparation.map)
        writeFrame(counter, isReturn: false, map, report)
        let count = Int(backtrace(preparation.frames, CInt(frameLimit)))
        // What is above the instruction that failed is this handler.
        var next = 0
        while next < count, UInt(bitPattern: preparation.frames[next]) != counter { next += 1 }
        next = next == count ? 0 : next + 1
        while next < count {
            writeFrame(UInt(bitPattern: preparation.frames[next]), isReturn: true, map, report)
            next += 1
        }
    }

    private static func writeFrame(_ address: UInt, isReturn: Bool, _ map: MemoryMap, _ report: SignalSafeWriter) {
        report.write("  ")
        guard let module = map.module(of: address) else {
            report.write(hexadecimal: address)
            report.write("\n")
            return
        }
        let offset = address &- module.base
        report.write(module.name)
        report.write("+")
        report.write(hexadecimal: offset)
        if let path = module.path.baseAddress, let table = SymbolTable(path: path.assumingMemoryBound(to: CChar.self)) {
            // A call returns behind itself, which may be another function's beginning.
            if let symbol = table.symbol(at: table.address(of: offset) &- (isReturn ? 1 : 0)) {
                report.write("  ")
                report.write(symbol.name)
                report.write("+")
                report.write(decimal: symbol.offset)
            }
        }
        report.write("\n")
    }

    /// The first processor's part of `/proc/cpuinfo`.
    private static func writeProcessor(_ preparation: Preparation, _ report: SignalSafeWriter) {
        let descriptor = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let count = read(descriptor, preparation.map.baseAddress!, 1 << 13)
        close(descriptor)
        guard count > 0 else { return }
        let text = UnsafeRawBufferPointer(rebasing: preparation.map[..<count])
        var end = 1
        while end < count, text[end] != 0x0A || text[end - 1] != 0x0A { end += 1 }
        report.write(UnsafeRawBufferPointer(rebasing: text[..<end]))
    }
}
