/// How a patch fades out towards the edges that are not the frame's.
struct PatchFade {
    /// The share of a patch's side over which it fades; people who are followed keep farther from the patch's edges than that.
    static let share: Float = 0.04

    /// The weight of each row of the patch.
    let rows: [Float]
    /// The columns that do not fade.
    let whole: Range<Int>
    private let columns: [Float]

    init(_ patch: MaskPatch, frameWidth: Int, frameHeight: Int) {
        columns = Self.weights(patch.x, patch.width, limit: frameWidth)
        rows = Self.weights(patch.y, patch.height, limit: frameHeight)
        let first = columns.firstIndex(of: 1) ?? 0
        whole = first..<(columns.lastIndex(of: 1).map { $0 + 1 } ?? first)
    }

    /// Weighs `columns` of `line`, a row of weight `weight` whose first column is the patch's.
    func apply(_ weight: Float, to line: UnsafeMutablePointer<Float>, columns range: Range<Int>) {
        if weight == 1, whole.lowerBound <= range.lowerBound, range.upperBound <= whole.upperBound { return }
        columns.withUnsafeBufferPointer { weights in
            for x in range { line[x] = min(max(line[x], 0), 1) * weights[x] * weight }
        }
    }

    /// 1 inside, falling towards an end that is not the frame's.
    private static func weights(_ start: Int, _ count: Int, limit: Int) -> [Float] {
        (0..<count).map { i in
            let position = (Float(i) + 0.5) / Float(count)
            let fromStart = start > 0 ? position / share : 1
            let fromEnd = start + count < limit ? (1 - position) / share : 1
            return min(1, fromStart, fromEnd)
        }
    }
}
