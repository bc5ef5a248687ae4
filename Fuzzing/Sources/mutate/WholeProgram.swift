import Foundation

/// Runs the program as a user would, and looks at what it leaves.
struct WholeProgram {
    private static let exitCodes: Set<Int32> = [0, 64, 65, 66, 74]

    let program: String
    let folder: URL

    /// Runs it on `path`, through standard input where `isPiped`; what is not to be is thrown.
    func run(_ path: String, outputExtension: String, isPiped: Bool) throws(Finding) -> (
        exitCode: Int32, peakMemory: Int
    ) {
        let output = folder.appending(path: "out.\(outputExtension)")
        let words = folder.appending(path: "words")
        let before = names
        let input = open(isPiped ? path : "/dev/null", O_RDONLY | O_CLOEXEC)
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let error = open(words.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer {
            for descriptor in [input, nowhere, error] { close(descriptor) }
            try? FileManager.default.removeItem(at: words)
        }
        let arguments = [program, "--quality", "fast", "--quiet", isPiped ? "-" : path, output.path]
        guard let child = Child(arguments, input: input, output: nowhere, error: error) else {
            fatalError("can't start \(program)")
        }
        guard let end = child.wait(seconds: Finding.timeLimit) else {
            child.end()
            throw .hang
        }
        guard let code = end.exitCode else { throw .crash(signal: end.signal) }
        guard end.peakMemory <= Finding.memoryLimit else { throw .memory(end.peakMemory) }
        guard Self.exitCodes.contains(code) else { throw .exitCode(code) }
        let text = (try? String(contentsOf: words, encoding: .utf8)) ?? ""
        if code != 0 {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let sentences = lines.filter { !$0.hasPrefix("matte: warning: ") }
            guard sentences.count == 2, sentences[0].hasPrefix("matte: "), sentences[1].isEmpty else {
                throw .words(text)
            }
            // Of raw frames those before the damage are written, and the sentence says so.
            let isKept = text.contains("every frame before it was read")
            if isKept { try? FileManager.default.removeItem(at: output) }
            if let left = names.subtracting(before).subtracting(["words"]).first { throw .leftOver(left) }
        } else {
            guard FileManager.default.fileExists(atPath: output.path) else { throw .noOutput }
            try? FileManager.default.removeItem(at: output)
        }
        return (code, end.peakMemory)
    }

    private var names: Set<String> { Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []) }
}
