/// Names that come from files of others.
package enum FileName {
    /// The longest that Linux's file systems take, in bytes.
    private static let limit = 255

    /// Whether `name` names a file in the folder that it is looked for in, and nowhere else.
    package static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= limit && isPrintable(name)
            && !name.contains { $0 == "/" || $0 == "\\" }
    }

    /// Whether nothing in `text` has a meaning to a terminal.
    package static func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{FFFD}" }
    }
}
