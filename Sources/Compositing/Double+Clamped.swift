extension Double {
    /// The longest length that is drawn, in pixels of a picture 720 pixels high: it goes beyond any picture.
    static let longest = 10_000.0

    /// The nearest number of `range`; its lower end for what is no number.
    func clamped(to range: ClosedRange<Double>) -> Double {
        self > range.lowerBound ? Swift.min(self, range.upperBound) : range.lowerBound
    }
}
