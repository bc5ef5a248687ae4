import ArgumentParser

@testable import CommandLineOptions

/// A command line, an argument a line, and what the run would begin with.
enum OptionsTarget {
    static func run(_ bytes: [UInt8]) {
        let arguments = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let command = try? MatteCommand.parse(arguments) else { return }
        _ = command.configuration
        _ = command.readerOptions(isLive: false)
        _ = command.readerOptions(isLive: true)
        _ = command.encoderSettings
    }
}
