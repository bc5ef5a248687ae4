import Matte

/// The command line's words after the program's name.
struct Arguments {
    let words: [String]

    /// - Throws: `MatteError` of kind `usage` for a word that is not valid UTF-8: as a string it would be the name of another file.
    init() throws(MatteError) {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index] else { break }
            guard let word = String(validatingCString: bytes) else {
                throw MatteError(
                    .usage, "can't take '\(String(cString: bytes))': the name is not valid UTF-8; rename the file")
            }
            words.append(word)
        }
        self.words = words
    }

    /// The letters that are options of a run by themselves.
    private static let shortOptions: Set<Character> = ["b", "e", "h", "q", "v"]

    /// - Throws: `MatteError` of kind `usage` for a word with one dash before it that is no option of a run: the parser would take
    ///   letters of a file's name for options.
    func refuseNamesWithADash() throws(MatteError) {
        guard let word = words.prefix(while: { $0 != "--" }).first(where: Self.isNoOption) else { return }
        throw MatteError(
            .usage, "there is no option '\(word)': a file of that name is './\(word)', or comes after '--'")
    }

    private static func isNoOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), !word.hasPrefix("--") else { return false }
        let letters = word.dropFirst().prefix { $0 != "=" }
        // A number below zero is an option's value, which that option judges.
        return !letters.allSatisfy(shortOptions.contains) && !letters.allSatisfy { $0.isNumber || ".:".contains($0) }
    }
}
