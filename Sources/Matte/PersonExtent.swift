import Imaging

/// Where people are in a picture as it is shown, in pixels.
struct PersonExtent: Equatable {
    /// Around all of them.
    var rectangle: Rectangle
    /// How much of a person there is in each column.
    var columns: [Double]

    init(rectangle: Rectangle, columns: [Double]) {
        self.rectangle = rectangle
        self.columns = columns
    }

    /// Of `frame`, whose people are in `mask`; nil where nobody is.
    init?(_ mask: PixelBuffer, of frame: VideoFrame) {
        guard let extent = MaskExtent.find(in: mask) else { return nil }
        rectangle = frame.upright(extent.rectangle)
        // Which of the stored picture's sides the shown one's columns lie along, and from which end.
        let turn = frame.orientation.uprightToStored
        let counts = (turn.a != 0 ? extent.columns : extent.rows).map(Double.init)
        columns = turn.a + turn.c > 0 ? counts : counts.reversed()
    }

    /// The same and another one, of a picture of the same size.
    mutating func add(_ other: PersonExtent) {
        rectangle = rectangle.union(other.rectangle)
        guard columns.count == other.columns.count else { return }
        for column in columns.indices { columns[column] += other.columns[column] }
    }

    /// Where the middle of a window of `width` lies that shows the most of people; one around `current` is kept as long as it
    /// shows nearly as much.
    func middle(ofWindow width: Double, current: Double?) -> Double {
        guard width < rectangle.width else { return rectangle.midX }
        var running = [0.0]
        for count in columns { running.append(running[running.count - 1] + count) }
        let (length, last) = (max(Int(width), 1), columns.count)
        func amount(_ left: Int) -> Double {
            running[min(max(left, 0) + length, last)] - running[min(max(left, 0), last)]
        }
        let lefts = 0...max(last - length, 0)
        guard let best = lefts.max(by: { amount($0) < amount($1) }) else { return rectangle.midX }
        if let current, amount(Int(current - width / 2)) > 0.8 * amount(best) { return current }
        return Double(best) + width / 2
    }
}
