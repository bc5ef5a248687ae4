extension Double {
    /// The number with `digits` decimals, independent of the locale.
    package func fixed(_ digits: Int) -> String {
        let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
        let scaled = (self * scale).rounded()
        guard scaled.isFinite, abs(scaled) < 9e15 else { return "0" }
        let magnitude = String(Int64(abs(scaled)))
        let padded = String(repeating: "0", count: max(0, digits + 1 - magnitude.count)) + magnitude
        return (scaled < 0 ? "-" : "") + padded.dropLast(digits) + (digits > 0 ? "." : "") + padded.suffix(digits)
    }
}
