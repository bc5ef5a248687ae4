import ArgumentParser

/// How much is said on standard error.
struct MessageOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Say what is read, and let FFmpeg and the encoder speak.")
    var verbose = false

    @Flag(name: .long, help: "Say nothing but errors.")
    var quiet = false

    func validate() throws {
        if verbose, quiet { throw ValidationError("--verbose and --quiet exclude each other") }
    }

    var verbosity: Console.Verbosity { quiet ? .quiet : verbose ? .verbose : .normal }
}
