import Foundation

/// Runs programs and tells what came of it.
public struct Tool: Sendable {
    /// What a program left behind.
    public struct Result: Sendable {
        public let status: Int32
        public let output: String
        public let error: String
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The program's path, or its name on the search path.
    public let program: String

    public init(_ program: String) {
        self.program = program
    }

    public static let ffmpeg = Tool("ffmpeg")
    public static let ffprobe = Tool("ffprobe")

    /// Runs to the end; standard input is empty.
    public func run(_ arguments: [String], in folder: URL? = nil) throws -> Result {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        // Files instead of pipes: nobody has to drain them, whatever the program says.
        let files = TemporaryFolder()
        let (output, error) = (files.url("output"), files.url("error"))
        try Data().write(to: output)
        try Data().write(to: error)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: error)
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            error: String(decoding: try Data(contentsOf: error), as: UTF8.self))
    }

    /// Runs to the end and returns what went to standard output; anything but exit status 0 is an error.
    @discardableResult
    public func callAsFunction(_ arguments: String..., in folder: URL? = nil) throws -> String {
        try call(arguments, in: folder)
    }

    /// The same with a list of arguments.
    @discardableResult
    public func call(_ arguments: [String], in folder: URL? = nil) throws -> String {
        let result = try run(arguments, in: folder)
        guard result.status == 0 else {
            throw Failure(
                description: "\(program) \(arguments.joined(separator: " ")): \(result.status)\n\(result.error)")
        }
        return result.output
    }
}
