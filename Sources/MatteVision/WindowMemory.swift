import Imaging

/// What the windows of a search showed when they were last looked at: where a picture stays as it was, nobody has come.
struct WindowMemory {
    /// In how many parts of the frame somebody far away shows at least.
    private static let least = 3
    /// How many looks in a row may be left out: whom a network missed once it may know in other noise.
    private static let patience = 3

    /// The frame when the window was looked at, and how many looks were left out since.
    private var seen: [Int: (thumbnail: ScalarMap, omitted: Int)] = [:]

    /// Forgets the scene.
    mutating func reset() { seen = [:] }

    /// Takes in that window `index` is looked at in the frame of which `thumbnail` is the brightness, 0 where it is black, as it is
    /// stored.
    mutating func look(_ index: Int, _ thumbnail: ScalarMap) {
        seen[index, default: (thumbnail, 0)].omitted = 0
        seen[index]!.thumbnail.copy(thumbnail)
    }

    /// Whether `window`, the one of `index`, of `frame` may show somebody whom it did not when it was last looked at, outside of the
    /// regions of those who are `known`; if not, a look is left out.
    mutating func isWorthwhile(
        _ index: Int, _ window: Rectangle, of frame: VideoFrame, _ thumbnail: ScalarMap, besides known: [Rectangle]
    ) -> Bool {
        guard let before = seen[index], before.omitted < Self.patience,
            changes(from: before.thumbnail, to: thumbnail, in: window, of: frame, besides: known) < Self.least
        else { return true }
        seen[index]!.omitted += 1
        return false
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
