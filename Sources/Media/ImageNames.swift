/// The names of image files: one for each frame where the name holds a number's pattern, or one alone.
///
/// The pattern is that of FFmpeg's `image2`: `%d`, or `%05d` for at least five digits; `%%` stands for a percent sign. It is
/// looked for behind the last slash alone, and a name with two patterns, or with any other word after a percent sign, has none.
struct ImageNames {
    /// The folder with its slash, empty for the current one.
    private let folder: String
    private let prefix: String
    /// The least number of digits; nil where there is no number.
    private let digits: Int?
    private let suffix: String

    /// No file system takes longer names.
    private static let digitLimit = 255

    init(path: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        folder = String(path[..<start])
        let name = path[start...]
        if let pattern = Self.pattern(name) {
            (prefix, digits, suffix) = (pattern.prefix, pattern.digits, pattern.suffix)
        } else {
            (prefix, digits, suffix) = (String(name), nil, "")
        }
    }

    private static func pattern(_ name: Substring) -> (prefix: String, digits: Int, suffix: String)? {
        var parts = [""]
        var digits: Int?
        var rest = name
        while let character = rest.popFirst() {
            guard character == "%" else {
                parts[parts.count - 1].append(character)
                continue
            }
            let width = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(width.count)
            switch rest.popFirst() {
            case "%": parts[parts.count - 1].append("%")
            case "d":
                guard digits == nil, let count = width.isEmpty ? 0 : Int(width), count <= digitLimit else { return nil }
                digits = count
                parts.append("")
            default: return nil
            }
        }
        return digits.map { (parts[0], $0, parts[1]) }
    }

    /// Whether each frame has a name of its own.
    var isNumbered: Bool { digits != nil }

    /// The name of the file for frame `number`, without its folder.
    func name(_ number: Int) -> String {
        guard let digits else { return prefix }
        let text = String(number)
        return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text + suffix
    }

    /// The path of the file for frame `number`.
    func path(_ number: Int) -> String { folder + name(number) }

    /// The number that a file's name tells, 1 or more; nil for names of other files.
    func number(of name: String) -> Int? {
        guard isNumbered, name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
        guard let number = Int(digits), number >= 1, self.name(number) == name else { return nil }
        return number
    }
}
