import Matte
import MatteVision
import Synchronization

/// What the keys of a live run mean.
final class LiveKeys: Sendable {
    static let help = "keys: b next background, 1 2 3 fast balanced accurate, space on or off, s status, q quit"

    private struct State {
        var backgrounds: [Configuration.BackgroundKind]
        var isOn = true
    }

    private let state: Mutex<State>

    /// Keys of a run that begins with `background`, which is the first of those that follow each other.
    init(background: Configuration.BackgroundKind) {
        let others = ["pose", "blur", "white", "black"].compactMap { Configuration.BackgroundKind(name: $0) }
        state = Mutex(State(backgrounds: [background] + others.filter { $0.name != background.name }))
    }

    /// The command that `key` stands for; nil for keys without a meaning.
    func command(for key: Character) -> LiveCommand? {
        state.withLock { state in
            switch key {
            case "b":
                state.backgrounds.append(state.backgrounds.removeFirst())
                return .background(state.backgrounds[0])
            case "1": return .quality(.fast)
            case "2": return .quality(.balanced)
            case "3": return .quality(.accurate)
            case " ":
                state.isOn.toggle()
                return state.isOn ? .on : .off
            case "s": return .status
            case "q": return .quit
            default: return nil
            }
        }
    }
}
