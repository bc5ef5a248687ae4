import Imaging

/// The rectangle around the people that a second pass looks at, steady while they stay inside it.
struct PersonRegion {
    /// How much is added around the people on each side, as a fraction of the longer side of their box.
    private static let margin = 0.12
    /// How far the region may differ from the best one before it moves, as intersection over union.
    private static let tolerance = 0.8
    /// Regions smaller than this fraction of the frame's longer side are widened to it.
    private static let smallest = 0.1
    /// How much longer than the other a side of the region may be: squeezed into a network's square input, people look less
    /// like people.
    private static let longest = 1.5
    /// The share of the frame beyond which a second pass sees nothing that the first has not seen.
    private static let largest = 0.8

    private(set) var rectangle: Rectangle?

    /// Follows the people in `map`, which covers a frame of `width` by `height` pixels; nil when there are none, or so close
    /// that they fill the frame.
    mutating func follow(_ map: ScalarMap, width: Int, height: Int) -> Rectangle? {
        guard let best = Self.around(map, width: width, height: height) else {
            rectangle = nil
            return nil
        }
        if let rectangle, rectangle.intersectionOverUnion(best) >= Self.tolerance { return rectangle }
        rectangle = best
        return best
    }

    mutating func reset() { rectangle = nil }

    private static func around(_ map: ScalarMap, width: Int, height: Int) -> Rectangle? {
        var (left, right, top, bottom) = (map.width, -1, map.height, -1)
        for y in 0..<map.height {
            // One stray pixel in a row is noise.
            var (first, last, count) = (map.width, -1, 0)
            for x in 0..<map.width where map.values[y * map.width + x] > 0.5 {
                first = min(first, x)
                last = x
                count += 1
            }
            guard count > 1 else { continue }
            left = min(left, first)
            right = max(right, last)
            top = min(top, y)
            bottom = y
        }
        guard right >= left else { return nil }
        let (across, down) = (Double(width) / Double(map.width), Double(height) / Double(map.height))
        let box = Rectangle(
            x: Double(left) * across, y: Double(top) * down, width: Double(right - left + 1) * across,
            height: Double(bottom - top + 1) * down)
        let grown = Self.margin * max(box.width, box.height)
        let least = Self.smallest * Double(max(width, height))
        // The margin ends at the frame; what the shape asks for is then taken from wherever the frame has it.
        let margined = Rectangle(
            x: box.midX - max(box.width / 2 + grown, least / 2), y: box.midY - max(box.height / 2 + grown, least / 2),
            width: max(box.width + 2 * grown, least), height: max(box.height + 2 * grown, least)
        ).intersection(Rectangle(x: 0, y: 0, width: Double(width), height: Double(height)))
        let wide = min(max(margined.width, margined.height / Self.longest), Double(width)).rounded(.up)
        let high = min(max(margined.height, margined.width / Self.longest), Double(height)).rounded(.up)
        guard wide * high < Self.largest * Double(width * height) else { return nil }
        return Rectangle(
            x: min(max((margined.midX - wide / 2).rounded(), 0), Double(width) - wide),
            y: min(max((margined.midY - high / 2).rounded(), 0), Double(height) - high), width: wide, height: high)
    }
}
