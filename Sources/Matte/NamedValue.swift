/// A name and what stands after it, as in `outline:6:white`.
struct NamedValue {
    let name: String
    let values: [String]

    init(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        name = parts[0]
        values = Array(parts.dropFirst())
    }

    /// The only value, or `usual` if there is none; nil where it is not a number in `range`, or not the only one.
    func number(in range: ClosedRange<Double>, usual: Double) -> Double? {
        guard let text = values.first else { return usual }
        guard values.count == 1, let number = Double(text), range ~= number else { return nil }
        return number
    }
}

extension Double {
    /// The shortest text with up to three decimals that stands for this value of an option.
    var shortText: String {
        var text = fixed(3)
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
