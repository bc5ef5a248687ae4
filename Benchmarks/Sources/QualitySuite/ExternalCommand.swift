import Foundation

/// Another program.
struct ExternalCommand {
    /// Its path, or its name on the search path.
    let program: String

    init(_ program: String) {
        self.program = program
    }

    /// Runs it to the end with empty standard input; what it writes to standard output is dropped.
    ///
    /// - Throws: `QualityError` with the last line of its standard error where it can't be run or fails.
    func run(_ arguments: [String]) throws {
        let process = Process()
        // Looks a name up, and says by itself what is wrong with one that can't be run.
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let messages = Pipe()
        process.standardError = messages
        try process.run()
        let said = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let reason = said.split(whereSeparator: \.isNewline).last ?? "it ended with \(process.terminationStatus)"
            throw QualityError("can't run '\(program)': \(reason)")
        }
    }
}
