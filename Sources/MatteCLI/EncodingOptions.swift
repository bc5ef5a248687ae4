import ArgumentParser
import Media

/// How the output is encoded.
struct EncodingOptions: ParsableArguments {
    @Option(help: "FFmpeg's name of the encoder or codec, such as libx264, hevc or vp9 (default: the container's).")
    var codec: String?

    @Option(parsing: .unconditional, help: "Constant quality of the encoder; lower is better and larger.")
    var crf: Double?

    @Option(help: "The encoder's preset, such as veryfast or slow.")
    var preset: String?

    @Option(help: ArgumentHelp("Bits per second instead of constant quality, such as 2500k or 4M.", valueName: "rate"))
    var bitrate: BitrateArgument?

    @Option(
        help: ArgumentHelp("Any option of the encoder, such as tune=film; may be repeated.", valueName: "key=value"))
    var encoderOption: [EncoderOptionArgument] = []

    @Option(
        help: ArgumentHelp(
            "Whether the colours of a foreground are multiplied by its alpha (default: straight).",
            discussion: "PNG, TIFF, WebP, JPEG XL, VP8, VP9 and AV1 take straight alpha alone."))
    var alpha: AlphaKind?

    /// The first option that was given, as it is written on the command line; nil where all are left to themselves.
    var givenOption: String? {
        let given = [
            ("--codec", codec != nil), ("--crf", crf != nil), ("--preset", preset != nil),
            ("--bitrate", bitrate != nil), ("--encoder-option", !encoderOption.isEmpty), ("--alpha", alpha != nil),
        ]
        return given.first { $0.1 }?.0
    }

    func validate() throws {
        if crf != nil, bitrate != nil { throw ValidationError("--crf and --bitrate exclude each other") }
    }
}

extension AlphaKind: ExpressibleByArgument {}

/// A bit rate as FFmpeg writes it: a number, perhaps with k, M or G.
struct BitrateArgument: ExpressibleByArgument, Equatable {
    let bitsPerSecond: Int64

    init?(argument: String) {
        let scales: [Character: Double] = ["k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9]
        let scale = argument.last.flatMap { scales[$0] }
        guard let value = Double(scale == nil ? argument : String(argument.dropLast())) else { return nil }
        let bits = value * (scale ?? 1)
        guard bits >= 1, bits <= 1e12 else { return nil }
        bitsPerSecond = Int64(bits)
    }
}

/// One `key=value` for the encoder.
struct EncoderOptionArgument: ExpressibleByArgument, Equatable {
    let key: String
    let value: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        key = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}
