import Measuring

/// One thing that was measured.
public struct Figure: Codable, Hashable, Sendable {
    /// What names it: no two figures of a run have the same.
    public struct Name: Codable, Hashable, Sendable, CustomStringConvertible {
        public let part: Part
        /// The picture that it was measured on: a clip's name, or a size such as `1920x1080`.
        public let picture: String
        /// What was measured: a level, a kernel, another program.
        public let subject: String
        /// What of it was measured, with the unit where it has one.
        public let measure: String

        public init(_ part: Part, _ picture: String, _ subject: String, _ measure: String) {
            self.part = part
            self.picture = picture
            self.subject = subject
            self.measure = measure
        }

        public var description: String { "\(part.rawValue) / \(picture) / \(subject) / \(measure)" }
    }

    /// Which way a figure gets better.
    public enum Direction: String, Codable, Sendable {
        case more, less
    }

    public let name: Name
    public let better: Direction
    /// Whether it means the same on other machines, so that it is worth being kept under version control.
    public let travels: Bool
    public let spread: Spread

    public init(_ name: Name, better: Direction, travels: Bool = false, _ values: [Double]) {
        self.name = name
        self.better = better
        self.travels = travels
        spread = Spread(values)
    }
}

extension [Figure] {
    /// The spread of the figure with this name, if it was measured.
    public func spread(_ part: Part, _ picture: String, _ subject: String, _ measure: String) -> Spread? {
        let name = Figure.Name(part, picture, subject, measure)
        return first { $0.name == name }?.spread
    }

    /// The pictures of the figures of `part`, each once, in the order in which they were measured.
    public func pictures(_ part: Part) -> [String] {
        var found: [String] = []
        for figure in self where figure.name.part == part && !found.contains(figure.name.picture) {
            found.append(figure.name.picture)
        }
        return found
    }

    /// The subjects of the figures of `part`, each once, in the order in which they were measured.
    public func subjects(_ part: Part) -> [String] {
        var found: [String] = []
        for figure in self where figure.name.part == part && !found.contains(figure.name.subject) {
            found.append(figure.name.subject)
        }
        return found
    }
}
