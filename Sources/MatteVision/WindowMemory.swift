import Imaging

/// What the windows of a search showed when they were last looked at: where a picture stays as it was, nobody has come.
struct WindowMemory {
    /// In how many parts of the frame somebody far away shows at least.
    private static let least = 3
    /// After how many of its turns a window is looked at in any case.
    private static let patience = 4
    /// How often a window is looked at that has changed: whom a network misses once it may know in other noise, or further on.
    private static let looks = 3

    private struct Look {
        /// The frame before what has changed since.
        var before: ScalarMap
        /// How often that was looked at.
        var count: Int
        /// Which search the last of these looks was; nil where there was none.
        var search: Int?
    }

    private var seen: [Int: Look] = [:]
    private var search = 0

    /// Forgets the scene.
    mutating func reset() { self = WindowMemory() }

    /// Goes on to the next search.
    mutating func advance() { search += 1 }

    /// Whether what has changed comes before what is due in this search.
    var isChangeFirst: Bool { search % 3 != 0 }

    /// Takes in that window `index` is first seen, but not looked at, in the frame of which `thumbnail` is the brightness, 0 where it is
    /// black, as it is stored.
    mutating func see(_ index: Int, _ thumbnail: ScalarMap) {
        seen[index] = Look(before: thumbnail, count: Self.looks, search: nil)
    }

    /// Takes in that window `index` is looked at in the frame of which `thumbnail` is the brightness.
    mutating func look(_ index: Int, _ thumbnail: ScalarMap) {
        var look = seen[index] ?? Look(before: thumbnail, count: Self.looks, search: nil)
        look.count += 1
        if look.count >= Self.looks { (look.before, look.count) = (thumbnail, 0) }
        look.search = search
        seen[index] = look
    }

    /// Whether window `index`, whose turn comes every `period` searches, is to be looked at whatever it shows.
    func isDue(_ index: Int, period: Int) -> Bool {
        guard let last = seen[index]?.search else { return true }
        return search - last >= Self.patience * period
    }

    /// Whether `window`, the one of `index`, may show somebody in `frame` whom it did not before, outside of the regions of those who are
    /// `known`.
    func hasChanged(
        _ index: Int, _ window: Rectangle, in frame: VideoFrame, _ thumbnail: ScalarMap, besides known: [Rectangle]
    ) -> Bool {
        guard let look = seen[index] else { return false }
        return changes(from: look.before, to: thumbnail, in: window, of: frame, besides: known) >= Self.least
    }

    private func changes(
        from before: ScalarMap, to thumbnail: ScalarMap, in window: Rectangle, of frame: VideoFrame,
        besides known: [Rectangle]
    ) -> Int {
        let toUpright = frame.uprightToStored.inverse
        let (across, down) = (
            Double(frame.pixelBuffer.width) / Double(thumbnail.width),
            Double(frame.pixelBuffer.height) / Double(thumbnail.height)
        )
        let difference = LittleLight.difference(between: before.values, and: thumbnail.values)
        return thumbnail.values.indices.count { index in
            guard abs(thumbnail.values[index] - before.values[index]) > difference else { return false }
            let (row, column) = index.quotientAndRemainder(dividingBy: thumbnail.width)
            let (x, y) = toUpright.apply((Double(column) + 0.5) * across, (Double(row) + 0.5) * down)
            return window.contains(x: x, y: y) && !known.contains { $0.contains(x: x, y: y) }
        }
    }
}
