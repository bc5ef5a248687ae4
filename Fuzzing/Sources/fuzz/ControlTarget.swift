import Compositing
import Matte

/// A line to a live run. What has a name comes back under that name.
enum ControlTarget {
    static func run(_ bytes: [UInt8]) {
        guard let command = try? LiveCommand(String(decoding: bytes, as: UTF8.self)) else { return }
        switch command {
        case .background(let background):
            guard let again = Configuration.BackgroundKind(name: background.name) else {
                fatalError("there is no background '\(background.name)'")
            }
            precondition(again.name == background.name, "'\(background.name)' comes back as '\(again.name)'")
        case .effects(let effects):
            for effect in effects {
                guard let again = Effect(name: effect.name) else { fatalError("there is no effect '\(effect.name)'") }
                precondition(again.name == effect.name, "'\(effect.name)' comes back as '\(again.name)'")
            }
        default: break
        }
    }
}
