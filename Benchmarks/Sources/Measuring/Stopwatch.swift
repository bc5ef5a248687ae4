import Glibc

/// Measures how long something takes that is done again and again.
public struct Stopwatch {
    /// Each time on the clock, in milliseconds.
    public private(set) var milliseconds: [Double] = []
    /// Each time on the CPU, all threads of the process counted, in milliseconds.
    public private(set) var cpuMilliseconds: [Double] = []

    public init() {}

    /// Does `work` once.
    public mutating func time<R>(_ work: () throws -> R) rethrows -> R {
        let start = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_PROCESS_CPUTIME_ID))
        let result = try work()
        milliseconds.append(Self.now(CLOCK_MONOTONIC) - start.0)
        cpuMilliseconds.append(Self.now(CLOCK_PROCESS_CPUTIME_ID) - start.1)
        return result
    }

    /// The median time on the clock, in milliseconds; 0 where nothing was done.
    public var medianMilliseconds: Double { milliseconds.isEmpty ? 0 : Spread(milliseconds).median }

    /// The median time on the CPU, all threads of the process counted, in milliseconds; 0 where nothing was done.
    public var medianCPUMilliseconds: Double { cpuMilliseconds.isEmpty ? 0 : Spread(cpuMilliseconds).median }

    /// The mean time on the CPU, all threads of the process counted, in milliseconds; 0 where nothing was done.
    public var meanCPUMilliseconds: Double {
        cpuMilliseconds.isEmpty ? 0 : cpuMilliseconds.reduce(0, +) / Double(cpuMilliseconds.count)
    }

    /// Seconds on the clock that never jumps, from a moment in the past on.
    public static var seconds: Double { now(CLOCK_MONOTONIC) / 1000 }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
