import Glibc

/// A program that this one has started.
struct Child {
    let process: pid_t

    /// How a program ended.
    struct End {
        /// nil where a signal ended it.
        let exitCode: Int32?
        let signal: Int32
        /// The most memory that it held, in bytes.
        let peakMemory: Int
    }

    /// Starts `arguments[0]` with these descriptors as its standard ones.
    init?(_ arguments: [String], input: CInt, output: CInt, error: CInt) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, target) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (error, STDERR_FILENO)] {
            posix_spawn_file_actions_adddup2(&actions, descriptor, target)
        }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        guard posix_spawn(&process, arguments[0], &actions, nil, words, environ) == 0 else { return nil }
        self.process = process
    }

    /// Waits for the end, at most `seconds`; nil after them.
    func wait(seconds: Double) -> End? {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(seconds) {
            if let end = wait(WNOHANG) { return end }
            usleep(2000)
        }
        return nil
    }

    /// Ends it at once.
    @discardableResult
    func end() -> End? {
        kill(process, SIGKILL)
        return wait(0)
    }

    private func wait(_ options: CInt) -> End? {
        var status: CInt = 0
        var usage = rusage()
        guard wait4(process, &status, options, &usage) == process else { return nil }
        let signal = status & 0x7F
        return End(
            exitCode: signal == 0 ? (status >> 8) & 0xFF : nil, signal: signal, peakMemory: usage.ru_maxrss << 10)
    }
}
