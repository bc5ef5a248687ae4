extension Sequence<String> {
    /// The name that `word` is likely a slip of; nil where none is that near.
    ///
    /// A slip is a letter that is wrong, missing or too many, or that changed places with the next: one, or one for each three
    /// letters of `word`. Capital letters count as small ones. Of names as near the first is taken.
    package func nearest(to word: String) -> String? {
        let letters = Array(word.lowercased())
        let slips = Swift.max(1, letters.count / 3)
        let near = map { ($0, Self.slips(from: letters, to: Array($0.lowercased()))) }.filter { $0.1 <= slips }
        return near.min { $0.1 < $1.1 }?.0
    }

    // The restricted Damerau-Levenshtein distance, row by row.
    private static func slips(from word: [Character], to name: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...name.count)
        for row in word.indices {
            var current = [row + 1]
            for column in name.indices {
                var least = Swift.min(last[column + 1], current[column]) + 1
                least = Swift.min(least, last[column] + (word[row] == name[column] ? 0 : 1))
                if row > 0, column > 0, word[row] == name[column - 1], word[row - 1] == name[column] {
                    least = Swift.min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[name.count]
    }
}
