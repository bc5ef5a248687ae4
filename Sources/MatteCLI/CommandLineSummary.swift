import Glibc

/// The command line as it may be shown to everybody: names of files are replaced by their extensions, and so is all that is not
/// known to be harmless.
struct CommandLineSummary {
    let text: String

    /// Options whose values say nothing of whoever ran the program, unless they name a file.
    static let openOptions: Set = [
        "--quality", "-q", "--background", "-b", "--background-fit", "--effect", "-e", "--pose-color", "--output-kind",
        "--codec", "--crf", "--preset", "--bitrate", "--encoder-option", "--alpha", "--format", "--pix-fmt", "--size",
        "--rate", "--colorspace", "--color-range", "--output-format", "--output-pix-fmt", "--output-extension",
        "--stream", "--max-pixels", "--allow-protocols", "--start", "--duration", "--run-in", "--limit", "--threads",
        "--device", "--hwaccel", "--decoder", "--aspect",
    ]

    private static let commands: Set = ["devices", "control", "doctor"]

    /// The arguments after the program's name.
    init(_ arguments: [String]) {
        var words = ["matte"]
        var option: String?
        // After "--" nothing is an option.
        let options = arguments.prefix { $0 != "--" }
        for (index, argument) in options.enumerated() {
            defer { option = argument }
            if index == 0, Self.commands.contains(argument) {
                words.append(argument)
            } else if argument.hasPrefix("-"), argument.count > 1 {
                words.append(Self.option(argument))
            } else {
                words.append(Self.value(argument, of: option))
            }
        }
        if options.count < arguments.count {
            words += ["--"] + arguments[(options.count + 1)...].map { Self.value($0, of: nil) }
        }
        text = words.joined(separator: " ")
    }

    private static func option(_ argument: String) -> String {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard isWord(parts[0]) else { return "-…" }
        return parts.count == 2 ? "\(parts[0])=\(value(parts[1], of: parts[0]))" : parts[0]
    }

    private static func value(_ value: String, of option: String?) -> String {
        if value == "-" { return value }
        // A device's number says nothing, a part of its name may.
        if value.hasPrefix("/dev/video"), isWord(String(value.dropFirst(5))) { return value }
        if let option, openOptions.contains(option), isHarmless(value) { return value }
        return "FILE" + fileExtension(of: value)
    }

    private static func isWord(_ text: String) -> Bool {
        text.utf8.count <= 40
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2D
            }
    }

    /// Whether `value` is of words, numbers and signs, and no file's name.
    private static func isHarmless(_ value: String) -> Bool {
        let parts = value.split { ":=,_#%+x".contains($0) }
        return parts.allSatisfy { isWord(String($0)) || Double(String($0)) != nil } && access(value, F_OK) != 0
    }

    private static func fileExtension(of path: String) -> String {
        guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".") else { return "" }
        let suffix = String(name[name.index(after: dot)...])
        return !suffix.isEmpty && suffix.utf8.count <= 8 && isWord(suffix) ? ".\(suffix.lowercased())" : ""
    }
}
