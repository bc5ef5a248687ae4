import ArgumentParser
import Media

/// How far an input is trusted.
struct LimitOptions: ParsableArguments {
    @Flag(help: "End with an error at the first damage; otherwise it is concealed, counted and passed over.")
    var strict = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The most pixels that a picture may have (default: \(InputLimits.usualPixelCount), as 8192x8192).",
            valueName: "pixels"))
    var maxPixels: Int?

    @Option(
        help: ArgumentHelp(
            "FFmpeg's names of the protocols that may be opened, with commas between them, such as https,tls,tcp for a URL as input, "
                + "or file for the files that a playlist names (default: none).", valueName: "protocols"))
    var allowProtocols: String?

    func validate() throws {
        if let maxPixels, maxPixels < 1 { throw ValidationError("--max-pixels takes a number of pixels from 1 up") }
        let known = Set(InputLimits.protocols)
        for name in names where !known.contains(name) {
            throw ValidationError("there is no protocol '\(name)': 'ffmpeg -protocols' lists them")
        }
    }

    private var names: [String] {
        allowProtocols?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }

    var inputLimits: InputLimits {
        InputLimits(allowedProtocols: names, pixelCount: maxPixels ?? InputLimits.usualPixelCount)
    }
}
