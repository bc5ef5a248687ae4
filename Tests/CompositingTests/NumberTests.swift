import Imaging
import Testing

@testable import Compositing

/// Lengths and strengths that can't be meant: each counts as the nearest that can, and what is no number as the smallest.
struct NumberTests {
    private let frame = VideoFrame(pixelBuffer: noise(.yuv420p, width: 64, height: 36))
    private let people = mask(width: 64, height: 36) { x, _ in UInt8(min(max((x - 20) * 16, 0), 255)) }

    private func composite(_ background: Background, _ effects: [Effect] = []) -> [[Int]] {
        Compositor().composite(frame, mask: people, over: background, effects: effects).pixelBuffer.components()
    }

    /// What is made of a number, and the smallest and largest that can be meant.
    private typealias Kind = (make: (Double) -> [[Int]], bounds: ClosedRange<Double>)

    private var kinds: [Kind] {
        let white = RGBColor(red: 1, green: 1, blue: 1)
        return [
            ({ self.composite(.blur(radius: $0)) }, 0.5...10_000), ({ self.composite(.bokeh(radius: $0)) }, 1...10_000),
            ({ self.composite(.original, [.dim(stops: $0)]) }, 0...1000),
            ({ self.composite(.original, [.desaturate(amount: $0)]) }, 0...1),
            ({ self.composite(.original, [.pixelate(side: $0)]) }, 1...10_000),
            ({ self.composite(.original, [.spotlight(stops: $0)]) }, 0...1000),
            ({ self.composite(.original, [.shadow(opacity: $0)]) }, 0...1),
            ({ self.composite(.original, [.outline(width: $0, color: white)]) }, 0...10_000),
            ({ self.composite(.color(white), [.lightWrap(amount: $0)]) }, 0...1),
            (
                {
                    ForegroundExtractor().foreground(
                        of: self.frame, mask: self.people, effects: [.outline(width: $0, color: white)])!
                        .pixelBuffer.components()
                }, 0...10_000
            ),
        ]
    }

    @Test func theNearestThatCanBeMeantCounts() {
        for (index, (make, bounds)) in kinds.enumerated() {
            let (least, most) = (make(bounds.lowerBound), make(bounds.upperBound))
            for number in [-Double.infinity, -1, .nan] { #expect(make(number) == least, "\(index) \(number)") }
            for number in [Double.infinity, 1e300] { #expect(make(number) == most, "\(index) \(number)") }
            #expect(least != most)
            // What is all but nothing is no reason to stop.
            _ = make(.leastNonzeroMagnitude)
        }
    }

    @Test func aGradientWithoutADirectionIsItsFirstColour() {
        let colors = [RGBColor(red: 0.2, green: 0.4, blue: 0.6), RGBColor(red: 1, green: 1, blue: 1)]
        let plain = BackgroundPainter.picture(of: LinearGradient([colors[0], colors[0]]), behind: frame).components()
        for angle in [Double.nan, .infinity, -.infinity] {
            let picture = BackgroundPainter.picture(of: LinearGradient(colors, angle: angle), behind: frame)
            #expect(picture.components() == plain)
        }
    }

    // Whatever picture comes of it.
    @Test func aColourThatIsNoneIsNoReasonToStop() {
        for value in [Float.nan, .infinity, -.infinity] {
            let color = RGBColor(red: value, green: 0.5, blue: value)
            _ = BackgroundPainter.picture(of: LinearGradient([color, color]), behind: frame)
            _ = composite(.color(color), [.outline(width: 20, color: color)])
        }
    }
}
