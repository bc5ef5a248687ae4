/// What `matte --stats` says of a live run's latency.
struct ProgramLatency: Hashable {
    /// Milliseconds that half of the frames did not exceed.
    let p50: Double
    /// Milliseconds that all but one in a hundred did not exceed.
    let p99: Double

    /// Finds it in the program's messages: `latency  p50 4.5 ms  p99 6.0 ms  max 8.2 ms`.
    init?(_ messages: String) {
        for line in messages.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ")
            guard words.first == "latency" else { continue }
            func value(after name: Substring) -> Double? {
                words.firstIndex(of: name).flatMap { $0 + 1 < words.count ? Double(words[$0 + 1]) : nil }
            }
            guard let p50 = value(after: "p50"), let p99 = value(after: "p99") else { return nil }
            (self.p50, self.p99) = (p50, p99)
            return
        }
        return nil
    }
}
