import ArgumentParser

/// How a live run behaves.
struct LiveOptions: ParsableArguments {
    @Flag(
        help:
            "Treat a stream as live: always take the newest frame, and drop those before it (cameras are live anyway).")
    var live = false

    @Flag(help: "Let the camera go while nobody watches the virtual one.")
    var onDemand = false

    @Flag(help: "Show the result in a window as well; without an output in the window alone.")
    var preview = false

    @Option(
        help: ArgumentHelp(
            "Socket at which a live run takes 'matte control' (default: matte.sock in the user's runtime folder).",
            valueName: "path"),
        completion: .file())
    var control: String?
}
