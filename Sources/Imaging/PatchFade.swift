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
        columns = EdgeFade.weights(patch.x, patch.width, limit: frameWidth, share: Self.share)
        rows = EdgeFade.weights(patch.y, patch.height, limit: frameHeight, share: Self.share)
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
}
