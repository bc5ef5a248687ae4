import Foundation

/// A program that was started; whoever started it calls `finish` once.
public final class RunningCommand {
    private let program: String
    private let process: pid_t
    private let start: Double
    private let messages: DescriptorPipe
    private let memory: PeakMemory

    init(program: String, process: pid_t, start: Double, messages: DescriptorPipe) {
        self.program = program
        self.process = process
        self.start = start
        self.messages = messages
        memory = PeakMemory(of: process)
    }

    /// Waits for its end.
    ///
    /// - Throws: `BenchmarkError` with the last line of its standard error where it fails.
    public func finish() throws -> CommandOutcome {
        let said = messages.readToEnd()
        var (status, usage): (CInt, rusage) = (0, rusage())
        while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
        let seconds = Stopwatch.seconds - start
        let peak = memory.stop()
        // As the macros of wait(2) take it apart, which Swift does not see.
        let (signal, code) = (status & 0x7f, (status >> 8) & 0xff)
        guard signal == 0, code == 0 else {
            let last = said.split(whereSeparator: \.isNewline).last.map(String.init)
            throw BenchmarkError(
                "can't run '\(program)': \(last ?? (signal == 0 ? "it ended with \(code)" : "signal \(signal) ended it"))"
            )
        }
        let cpu = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) * 1e-6 }
        return CommandOutcome(seconds: seconds, cpuSeconds: cpu, peakMemory: peak, messages: said)
    }
}
