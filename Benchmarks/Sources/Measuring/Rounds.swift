/// Rounds of measurements in which every subject has its turn, so that what slows the machine for a while slows all alike.
public struct Rounds: Sendable {
    /// How many rounds count.
    public let count: Int
    /// Whether one more goes before them.
    public let warmsUp: Bool

    public init(_ count: Int, warmsUp: Bool = true) {
        precondition(count > 0, "a median of one round at least")
        self.count = count
        self.warmsUp = warmsUp
    }

    /// What `measure` finds for each of `subjects` in each round.
    public func results<Subject, Result>(
        of subjects: [Subject], _ measure: (Subject) throws -> Result
    ) rethrows -> [[Result]] {
        if warmsUp { for subject in subjects { _ = try measure(subject) } }
        var results = [[Result]](repeating: [], count: subjects.count)
        for _ in 0..<count {
            for (index, subject) in subjects.enumerated() { results[index].append(try measure(subject)) }
        }
        return results
    }

    /// The median of what `measure` finds for each of `subjects`.
    public func medians<Subject>(of subjects: [Subject], _ measure: (Subject) throws -> Double) rethrows -> [Double] {
        try results(of: subjects, measure).map { Spread($0).median }
    }
}
