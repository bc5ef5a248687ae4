/// What a program that has ended used, and what it said.
public struct CommandOutcome: Sendable {
    /// From its start to its end, on the clock.
    public let seconds: Double
    /// Of all its threads.
    public let cpuSeconds: Double
    /// The most memory that it had in use at a time, as `PeakMemory` sees it.
    public let peakMemory: Int
    /// Its standard error.
    public let messages: String
}
