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
}
