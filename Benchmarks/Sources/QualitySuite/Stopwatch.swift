import Foundation

/// Measures how long something takes that is done again and again.
struct Stopwatch {
    private var elapsed: [Double] = []
    private var cpu: [Double] = []

    /// Does `work` once.
    mutating func time<R>(_ work: () throws -> R) rethrows -> R {
        let start = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_PROCESS_CPUTIME_ID))
        let result = try work()
        elapsed.append(Self.now(CLOCK_MONOTONIC) - start.0)
        cpu.append(Self.now(CLOCK_PROCESS_CPUTIME_ID) - start.1)
        return result
    }

    /// The median time on the clock, in milliseconds; 0 where nothing was done.
    var medianMilliseconds: Double { Self.median(elapsed) }

    /// The median time on the CPU, all threads of the process counted, in milliseconds; 0 where nothing was done.
    var medianCPUMilliseconds: Double { Self.median(cpu) }

    /// The mean time on the CPU, all threads of the process counted, in milliseconds; 0 where nothing was done.
    var meanCPUMilliseconds: Double { cpu.isEmpty ? 0 : cpu.reduce(0, +) / Double(cpu.count) }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
