import CFFmpeg
import Glibc
import Synchronization

/// What FFmpeg's libraries say while they work.
///
/// Nothing is printed unless it is asked for. Errors and warnings are remembered for a while, because they often tell a cause better
/// than the error code that follows them, if one does. Safe to use from several threads at once, but for ``setLevel(_:)``.
public enum LibraryLog {
    /// How much goes to standard error.
    public enum Level: Sendable {
        case quiet, error, warning, info, debug

        fileprivate var rawLevel: CInt {
            switch self {
            case .quiet: AV_LOG_QUIET
            case .error: AV_LOG_ERROR
            case .warning: AV_LOG_WARNING
            case .info: AV_LOG_INFO
            case .debug: AV_LOG_DEBUG
            }
        }
    }

    /// Prints the lines of `level` and graver ones to standard error from here on.
    ///
    /// To be called before other threads run: SVT-AV1, which prints by itself, learns of it by the environment.
    public static func setLevel(_ level: Level) {
        install()
        if level.rawLevel < AV_LOG_INFO { setenv("SVT_LOG", "1", 0) }
        state.withLock { $0.printedLevel = level.rawLevel }
    }

    /// Whether libraries that print by themselves are to be silent.
    static var isQuiet: Bool { state.withLock { $0.printedLevel < AV_LOG_INFO } }

    private struct Line {
        /// How many there were before.
        let number: Int
        let context: UInt
        let thread: pthread_t
        let text: String
    }

    private struct State {
        var printedLevel = AV_LOG_QUIET
        var errors: [Line] = []
        var warnings: [Line] = []
        /// How many of both there were in all.
        var count = 0
        /// How often a decoder told of a damaged picture.
        var damagedCounts: [UInt: Int] = [:]
        var continuesLine: CInt = 1
    }

    private static let remembered = 16

    /// How decoders begin to tell of a picture whose parts they make up, or show as they are, without a word in the picture itself: that of
    /// an error resilience, of FFV1 and of Theora.
    private static let wordsOfDamage = ["concealing ", "slice CRC mismatch", "Coefficient index overflow"]
    private static let state = Mutex(State())

    private static let installed: Void = {
        av_log_set_callback { context, level, format, arguments in
            guard let format, let arguments else { return }
            LibraryLog.take(context, level: level, format: format, arguments: arguments)
        }
    }()

    /// Takes FFmpeg's log over; to be called before any other call of FFmpeg.
    static func install() { _ = installed }

    /// The newest error line that came from any of `contexts` (objects of FFmpeg, even if they are freed by now).
    static func lastError(from contexts: UInt...) -> String? {
        state.withLock { state in state.errors.last { contexts.contains($0.context) }?.text }
    }

    /// Where the log stands, for what is asked `since` it.
    static var position: Int { state.withLock { $0.count } }

    /// The first error line since `position` that came from a call on this thread, whatever object said it.
    static func firstError(since position: Int) -> String? {
        state.withLock { state in
            state.errors.first { $0.number >= position && $0.thread == pthread_self() }?.text
        }
    }

    /// The newest error line since `position` that contains `words`, whatever thread and object said it.
    static func lastError(containing words: String, since position: Int) -> String? {
        state.withLock { state in state.errors.last { $0.number >= position && $0.text.contains(words) }?.text }
    }

    /// Whether an error line since `position` came from `context` and contains one of `words`.
    static func hasError(from context: UInt, containing words: [String], since position: Int) -> Bool {
        state.withLock { state in
            state.errors.contains { line in
                line.number >= position && line.context == context && words.contains { line.text.contains($0) }
            }
        }
    }

    /// The first warning since `position` that came from `context` and begins with one of `words`.
    static func firstWarning(from context: UInt, beginning words: [String], since position: Int) -> String? {
        state.withLock { state in
            state.warnings.first { line in
                line.number >= position && line.context == context && words.contains { line.text.hasPrefix($0) }
            }?.text
        }
    }

    /// How often `context`, a decoder, told of a damaged picture.
    static func damagedCount(of context: UInt) -> Int { state.withLock { $0.damagedCounts[context] ?? 0 } }

    /// Forgets the lines of `contexts`, whose addresses may have belonged to other objects before.
    static func forget(_ contexts: UInt...) {
        state.withLock { state in
            state.errors.removeAll { contexts.contains($0.context) }
            state.warnings.removeAll { contexts.contains($0.context) }
            for context in contexts { state.damagedCounts[context] = nil }
        }
    }

    /// What stands within a sentence of `text`: lines that add to another one are indented, and some end one or begin a list.
    private static func clause(_ text: String) -> String {
        var line = text.drop { $0.isWhitespace }.prefix { !$0.isNewline }
        while line.last == "." || line.last == ":" { line.removeLast() }
        return String(line)
    }

    /// What speaks: an object, or the one that it does a thread's work for.
    private static func speaker(_ context: UnsafeMutableRawPointer?) -> UInt {
        guard let context, context.load(as: UnsafePointer<AVClass>?.self) == avcodec_get_class() else {
            return UInt(bitPattern: context)
        }
        return UInt(bitPattern: context.assumingMemoryBound(to: AVCodecContext.self).pointee.opaque ?? context)
    }

    private static func take(
        _ context: UnsafeMutableRawPointer?, level: CInt, format: UnsafePointer<CChar>, arguments: CVaListPointer
    ) {
        let speaker = speaker(context)
        let tellsDamage = wordsOfDamage.contains { strncmp(format, $0, $0.utf8.count) == 0 }
        state.withLock { state in
            if tellsDamage { state.damagedCounts[speaker, default: 0] += 1 }
            let prints = level <= state.printedLevel
            guard prints || level <= AV_LOG_WARNING else { return }
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
                let text = buffer.baseAddress!
                FFLogText(format, arguments, text, 1024)
                let said = String(cString: text)
                if prints {
                    // With the name and the address of who says it.
                    av_log_format_line2(context, level, format, arguments, text, 1024, &state.continuesLine)
                    write(STDERR_FILENO, text, strlen(text))
                }
                guard level <= AV_LOG_WARNING else { return }
                let line = Line(
                    number: state.count, context: speaker, thread: pthread_self(), text: clause(said))
                state.count += 1
                let kind = level <= AV_LOG_ERROR ? \State.errors : \State.warnings
                if state[keyPath: kind].count == remembered { state[keyPath: kind].removeFirst() }
                state[keyPath: kind].append(line)
            }
        }
    }
}
