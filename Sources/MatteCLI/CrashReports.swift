import Glibc
import Media

/// The folder that reports of crashes are kept in: `matte` in the user's folder of states (XDG Base Directory Specification).
struct CrashReports {
    /// How many are kept, the newest.
    static let limit = 5
    static let namePrefix = "crash-"
    static let nameSuffix = ".txt"

    let folder: String

    /// nil where there is neither.
    init?() {
        func path(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        guard let states = path("XDG_STATE_HOME") ?? path("HOME").map({ "\($0)/.local/state" }) else { return nil }
        folder = states + "/matte"
    }

    /// The names of the reports, the newest first; a name begins with its time.
    var names: [String] {
        LocalFile.names(inFolder: folder)
            .filter { $0.hasPrefix(Self.namePrefix) && $0.hasSuffix(Self.nameSuffix) }.sorted(by: >)
    }

    /// The path of the newest report.
    var newest: String? { names.first.map { "\(folder)/\($0)" } }

    /// Removes those beyond the limit, and gives the path of the one that gives way to the next; nil while there is room.
    func tidy() -> String? {
        let names = names
        for name in names.dropFirst(Self.limit) { unlink("\(folder)/\(name)") }
        return names.count >= Self.limit ? "\(folder)/\(names[Self.limit - 1])" : nil
    }
}
