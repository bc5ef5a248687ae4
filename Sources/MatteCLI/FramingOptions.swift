import ArgumentParser

/// Which part of the picture comes out.
struct FramingOptions: ParsableArguments {
    @Flag(
        help:
            "Crop to the people: as tightly as holds them in the whole video, which is looked through first, or with --follow."
    )
    var cropToPerson = false

    @Flag(help: "Follow the people smoothly with the crop, and keep its size.")
    var follow = false

    @Option(
        help: ArgumentHelp(
            "Width to height of the crop, from 1:20 to 20:1, such as 9:16 or 1.85.", valueName: "ratio"))
    var aspect: AspectArgument?

    func validate() throws {
        if follow, !cropToPerson { throw ValidationError("--follow needs --crop-to-person") }
        if aspect != nil, !cropToPerson { throw ValidationError("--aspect needs --crop-to-person") }
    }
}

/// A ratio as FFmpeg writes it: `16:9`, `1.85`.
struct AspectArgument: ExpressibleByArgument, Equatable {
    let ratio: Double

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        guard (1...2).contains(parts.count), let width = parts[0], let height = parts.count == 2 ? parts[1] : 1,
            width > 0, height > 0, 0.05...20 ~= width / height
        else { return nil }
        ratio = width / height
    }
}
