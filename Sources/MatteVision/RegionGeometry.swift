import Imaging

/// Of what size and shape regions around people are, in frames of one size; all rectangles are in upright pixels.
struct RegionGeometry {
    /// How much is added around people on each side, as a fraction of the longer side of their box, as shown.
    static let margin = 0.12
    /// How many times as large as a region another one is, at least, that shows those in the first too small.
    private static let tooLarge = 5.0
    /// Regions smaller than this fraction of the frame's longer side are widened to it.
    private static let smallest = 0.1
    /// How much longer than the other a side of a region may be: squeezed into a network's input, people look less like people.
    private static let longest = 1.5
    /// How much higher than wide it may be where the network sees what is upright at its own shape.
    private static let highest = 2.0
    /// How far a region's sides may come in from one frame to the next, of its own size.
    private static let shrinking = 0.1
    /// How far people go on beyond an edge at least, of the longer side of what is seen of them.
    private static let continuation = 1.0 / 3
    /// How near to an edge of a window a box ends there, and how near to one of the frame, of the longer side.
    private static let (windowEdge, frameEdge) = (0.02, 0.01)

    /// All of the frame.
    let frame: Rectangle
    /// Width of an upright pixel over its height.
    let pixelAspect: Double
    /// Whether the network sees what is higher than wide at another shape than what is not.
    let isTurnable: Bool

    /// The region for the people in `box`.
    func region(around box: Rectangle) -> Rectangle {
        let whole = withMargin(box, Self.margin)
        let least = Self.smallest * frame.longerSide(pixelAspect: pixelAspect)
        let (width, height) = (max(whole.width, least / pixelAspect), max(whole.height, least))
        // The margin ends at the frame; what the shape asks for is then taken from wherever the frame has it.
        return shaped(
            Rectangle(x: box.midX - width / 2, y: box.midY - height / 2, width: width, height: height)
                .intersection(frame), isHalf: isHalf(box))
    }

    // Whether the frame's side cuts somebody off whom its lower edge does as well. Those come and go as shoulders, in which a network
    // sees people by what is around them.
    private func isHalf(_ box: Rectangle) -> Bool {
        let down = Self.frameEdge * frame.longerSide(pixelAspect: pixelAspect)
        let across = down / pixelAspect
        return box.maxY > frame.height - down && (box.x < across || box.maxX > frame.width - across)
    }

    /// The region `best`, but not much smaller than `rectangle` at once: people don't shrink, but masks fail for a moment, and in
    /// a region of half a person there is nothing to mend them by.
    func shrunk(_ rectangle: Rectangle, to best: Rectangle) -> Rectangle {
        let (across, down) = (Self.shrinking * rectangle.width, Self.shrinking * rectangle.height)
        let least = Rectangle(
            x: rectangle.x + across, y: rectangle.y + down, width: rectangle.width - 2 * across,
            height: rectangle.height - 2 * down)
        let isHeld = best.x <= least.x && best.y <= least.y && best.maxX >= least.maxX && best.maxY >= least.maxY
        return isHeld ? best : shaped(least.union(best).intersection(frame))
    }

    /// Whether people in `box` may still move by half the margin inside `rectangle`; whoever comes nearer to the edge could be cut off
    /// in the next frame.
    func hasRoom(for box: Rectangle, _ rectangle: Rectangle) -> Bool {
        let wanted = withMargin(box, Self.margin / 2).intersection(frame)
        return wanted.intersection(rectangle).area >= 0.999 * wanted.area
    }

    /// Whether `box` ends at an edge of `window` inside the frame: people who reach over it show only a part of themselves.
    func isCutOff(_ box: Rectangle, by window: Rectangle) -> Bool { !continuations(of: box, over: window).isEmpty }

    /// The region `rectangle` with room for those in `box` whom it cuts off, unless they go on into `others`.
    func extended(_ rectangle: Rectangle, for box: Rectangle, besides others: [Rectangle]) -> Rectangle {
        let continuations = continuations(of: box, over: rectangle).filter { part in
            !others.contains { $0.intersection(part).area > 0 }
        }
        // Half of somebody shows better where it fills the region.
        guard !continuations.isEmpty, !isHalf(box) else { return rectangle }
        return shaped(continuations.reduce(rectangle) { $0.union($1) })
    }

    /// Whether an edge of `window` cuts off those in `box` where they go on into `body`.
    func goesOn(_ box: Rectangle, over window: Rectangle, into body: Rectangle) -> Bool {
        continuations(of: box, over: window).contains { $0.intersection(body).area > 0 }
    }

    // Where the people in `box` go on beyond the edges of `window` inside the frame: a hand's breadth, or, as is seen then, a body.
    private func continuations(of box: Rectangle, over window: Rectangle) -> [Rectangle] {
        let longer = box.longerSide(pixelAspect: pixelAspect)
        let (near, high) = (Self.windowEdge * window.longerSide(pixelAspect: pixelAspect), Self.continuation * longer)
        let (nearAcross, wide) = (near / pixelAspect, high / pixelAspect)
        func column(_ x: Double) -> Rectangle { Rectangle(x: x, y: box.y, width: wide, height: box.height) }
        func row(_ y: Double) -> Rectangle { Rectangle(x: box.x, y: y, width: box.width, height: high) }
        var parts: [Rectangle] = []
        if box.x < window.x + nearAcross && window.x > 0 { parts.append(column(window.x - wide)) }
        if box.y < window.y + near && window.y > 0 { parts.append(row(window.y - high)) }
        if box.maxX > window.maxX - nearAcross && window.maxX < frame.width { parts.append(column(window.maxX)) }
        if box.maxY > window.maxY - near && window.maxY < frame.height { parts.append(row(window.maxY)) }
        return parts.map { $0.intersection(frame) }
    }

    /// Those regions, joined until none of those alike in size overlap by more than the share `overlap` of the smaller, and there are no
    /// more than `limit`.
    func joined(_ regions: [Rectangle], overlap: Double, limit: Int) -> [Rectangle] {
        var regions = regions
        while let (first, second) = pairToJoin(regions, overlap: overlap, limit: limit) {
            let joined = shaped(regions[first].union(regions[second]))
            regions.remove(at: max(first, second))
            regions.remove(at: min(first, second))
            regions.append(joined)
        }
        return regions
    }

    /// Whether those in `region` would be seen too small in `larger`.
    func showsTooSmall(_ region: Rectangle, _ larger: Rectangle) -> Bool { larger.area > Self.tooLarge * region.area }

    private func pairToJoin(_ regions: [Rectangle], overlap: Double, limit: Int) -> (Int, Int)? {
        var nearest: (pair: (Int, Int), growth: Double)?
        for second in regions.indices.dropFirst() {
            for first in 0..<second {
                let (a, b) = (regions[first], regions[second])
                let (smaller, larger) = a.area < b.area ? (a, b) : (b, a)
                if a.intersection(b).area > overlap * smaller.area, !showsTooSmall(smaller, larger) {
                    return (first, second)
                }
                let growth = a.union(b).area - a.area - b.area
                if growth < nearest?.growth ?? .infinity { nearest = ((first, second), growth) }
            }
        }
        return regions.count > limit ? nearest?.pair : nil
    }

    // With that share of its longer side on all sides.
    private func withMargin(_ box: Rectangle, _ share: Double) -> Rectangle {
        box.grown(by: share * box.longerSide(pixelAspect: pixelAspect), pixelAspect: pixelAspect)
    }

    // The rectangle by whole pixels, widened to a shape that is not too long.
    private func shaped(_ rectangle: Rectangle, isHalf: Bool = false) -> Rectangle {
        let (longest, highest) = isHalf ? (1, 1) : (Self.longest, isTurnable ? Self.highest : Self.longest)
        let least = (
            width: rectangle.height / (highest * pixelAspect), height: rectangle.width * pixelAspect / longest
        )
        let width = min(max(rectangle.width, least.width), frame.width).rounded(.up)
        let height = min(max(rectangle.height, least.height), frame.height).rounded(.up)
        return Rectangle(
            x: min(max((rectangle.midX - width / 2).rounded(), 0), frame.width - width),
            y: min(max((rectangle.midY - height / 2).rounded(), 0), frame.height - height), width: width,
            height: height)
    }
}
