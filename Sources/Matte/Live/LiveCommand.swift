import Compositing
import MatteVision

/// What can be asked of a run while it goes on, as one line of text.
public enum LiveCommand: Hashable, Sendable {
    /// `background NAME`: puts something else behind the people.
    case background(Configuration.BackgroundKind)
    /// `effect NAME …`: puts these effects in the place of those before; `effect none` takes them away.
    case effects([Effect])
    /// `quality LEVEL`: does more or less for the mask.
    case quality(GeneratePersonSegmentationRequest.QualityLevel)
    /// `on`: replaces the background again.
    case on
    /// `off`: shows the picture as it is.
    case off
    /// `toggle`: `off` if it is on, else `on`.
    case toggle
    /// `status`: tells what is shown and how it goes.
    case status
    /// `quit`: ends the run.
    case quit

    /// The command that `line` means.
    ///
    /// - Throws: `MatteError` of kind `usage` that says what could have been meant.
    public init(_ line: String) throws(MatteError) {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        switch (words.first ?? "", words.dropFirst().first, words.count) {
        case ("background", .some, _):
            // A path may hold spaces.
            let name = line.drop(while: \.isWhitespace).dropFirst("background".count).trimmed
            guard let background = Configuration.BackgroundKind(name: name) else {
                let advice = Configuration.BackgroundKind.advice(for: name)
                throw MatteError(.usage, "there is no background '\(name)': \(advice)")
            }
            self = .background(background)
        case ("effect", let first?, _):
            self = .effects(first == "none" && words.count == 2 ? [] : try words.dropFirst().map(Self.effect))
        case ("quality", let name?, 2):
            guard let level = GeneratePersonSegmentationRequest.QualityLevel(rawValue: name) else {
                throw MatteError(.usage, "there is no quality '\(name)': take fast, balanced or accurate")
            }
            self = .quality(level)
        case ("on", nil, _): self = .on
        case ("off", nil, _): self = .off
        case ("toggle", nil, _): self = .toggle
        case ("status", nil, _): self = .status
        case ("quit", nil, _): self = .quit
        default:
            throw MatteError(
                .usage,
                "can't make anything of '\(words.joined(separator: " "))': "
                    + "say background NAME, effect NAME …, quality LEVEL, on, off, toggle, status or quit")
        }
    }

    private static func effect(_ name: String) throws(MatteError) -> Effect {
        guard let effect = Effect(name: name) else {
            throw MatteError(.usage, "there is no effect '\(name)': \(Effect.advice(for: name))")
        }
        return effect
    }
}

extension Substring {
    /// Without white space at both ends.
    fileprivate var trimmed: String {
        var text = drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
