/// Rounds of measurements in which every subject has its turn, so that what slows the machine for a while slows all alike.
public struct Rounds: Sendable {
    /// How many rounds count; one more goes before them to warm up.
    public let count: Int

    public init(_ count: Int) {
        precondition(count > 0, "a median of one round at least")
        self.count = count
    }

    /// The median of what `measure` finds for each of `subjects`.
    func medians<Subject>(of subjects: [Subject], _ measure: (Subject) throws -> Double) rethrows -> [Double] {
        for subject in subjects { _ = try measure(subject) }
        var figures = [[Double]](repeating: [], count: subjects.count)
        for _ in 0..<count {
            for (index, subject) in subjects.enumerated() { figures[index].append(try measure(subject)) }
        }
        return figures.map(Stopwatch.median)
    }
}
