import Foundation

/// Another program.
public struct ExternalCommand: Sendable {
    /// Its path, or its name on the search path.
    public let program: String
    /// What its environment has besides this process's.
    public var environment: [String: String] = [:]

    public init(_ program: String, environment: [String: String] = [:]) {
        self.program = program
        self.environment = environment
    }

    /// Runs it to the end with empty standard input; what it writes to standard output is dropped.
    ///
    /// - Throws: `BenchmarkError` with the last line of its standard error where it can't be run or fails.
    @discardableResult
    public func run(_ arguments: [String]) throws -> CommandOutcome {
        try start(arguments).finish()
    }

    /// Runs it to the end with empty standard input; what it writes to standard output.
    ///
    /// - Throws: `BenchmarkError` with the last line of its standard error where it can't be run or fails.
    public func output(_ arguments: [String]) throws -> String {
        let pipe = try DescriptorPipe()
        let running = try start(arguments, output: pipe.writeEnd)
        pipe.closeWriteEnd()
        let output = pipe.readToEnd()
        _ = try running.finish()
        return output
    }

    /// Starts it with the descriptors `input` and `output` as standard input and output; nil is the null device. Of this
    /// process's other descriptors it gets those alone that are not closed on execution.
    ///
    /// - Throws: `BenchmarkError` where it can't be started.
    public func start(_ arguments: [String], input: CInt? = nil, output: CInt? = nil) throws -> RunningCommand {
        let messages = try DescriptorPipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        func connect(_ descriptor: CInt?, to standard: CInt, _ mode: CInt) {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, standard)
            } else {
                posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", mode, 0)
            }
        }
        connect(input, to: 0, O_RDONLY)
        connect(output, to: 1, O_WRONLY)
        posix_spawn_file_actions_adddup2(&actions, messages.writeEnd, 2)

        // This process may ignore readers that go away; other programs shall not.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for text in words + settings { free(text) } }
        var process: pid_t = 0
        let start = Stopwatch.seconds
        let code = posix_spawnp(&process, program, &actions, &attributes, &words, &settings)
        messages.closeWriteEnd()
        guard code == 0 else {
            throw BenchmarkError("can't run '\(program)': \(String(cString: strerror(code)))")
        }
        return RunningCommand(program: program, process: process, start: start, messages: messages)
    }
}
