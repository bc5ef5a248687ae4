/// A ratio of two integers: a time base, a frame rate or an aspect ratio.
///
/// The value is kept as it was given, not reduced; `0/1` stands for "unknown" as in FFmpeg's `AVRational`.
public struct Rational: Hashable, Sendable, CustomStringConvertible {
    /// Above the line.
    public var numerator: Int32
    /// Below the line; 0 only in what is unknown.
    public var denominator: Int32

    /// The number `numerator` over `denominator`, not reduced.
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The ratio as a floating-point number; 0 where the denominator is 0.
    public var value: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }

    /// Whether the ratio says something: both parts are positive.
    public var isKnown: Bool { numerator > 0 && denominator > 0 }

    public var description: String { "\(numerator)/\(denominator)" }
}
