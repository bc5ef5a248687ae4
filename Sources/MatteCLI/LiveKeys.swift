import Matte
import MatteVision
import Synchronization

/// What the keys of a live run mean.
final class LiveKeys: Sendable {
    static let help = "keys: b next background, 1 2 3 fast balanced accurate, space on or off, s status, q quit"

    /// The first is the one that is shown.
    private let backgrounds: Mutex<[Configuration.BackgroundKind]>

    /// Keys of a run that begins with `background`, which is the first of those that follow each other.
    init(background: Configuration.BackgroundKind) {
        let others = ["pose", "blur", "white", "black"].compactMap { Configuration.BackgroundKind(name: $0) }
        backgrounds = Mutex([background] + others.filter { $0.name != background.name })
    }

    /// The command that `key` stands for; nil for keys without a meaning.
    func command(for key: Character) -> LiveCommand? {
        switch key {
        case "b": nextBackground
        case "1": .quality(.fast)
        case "2": .quality(.balanced)
        case "3": .quality(.accurate)
        case " ": .toggle
        case "s": .status
        case "q": .quit
        default: nil
        }
    }

    private var nextBackground: LiveCommand {
        backgrounds.withLock { backgrounds in
            backgrounds.append(backgrounds.removeFirst())
            return .background(backgrounds[0])
        }
    }
}
