/// Puts the masks of a frame's regions together to one of the frame's size.
///
/// Takes its pictures from a pool and keeps its working memory; for one thread at a time. What is surely clear or opaque costs
/// hardly more than writing it.
public final class MaskRenderer {
    private let pool = PixelBufferPool()
    private var line: [Float] = []
    private let guide = ColorGuide()
    private var letterbox = Letterbox()

    public init() {}

    /// The mask of `frame` in `format` (`gray8`, `grayf16` or `grayf32`): 0 outside of all patches and in the bars of a
    /// letterbox, and the largest value of those that overlap.
    public func render(_ patches: [MaskPatch], over frame: VideoFrame, format: PixelFormat) -> PixelBuffer {
        precondition([.gray8, .grayf16, .grayf32].contains(format), "a mask has one component")
        let picture = frame.pixelBuffer
        if line.count != picture.width { line = Array(repeating: 0, count: picture.width) }
        guide.prepare(frame)
        let rows = patches.isEmpty ? 0..<0 : letterbox.pictureRows(of: frame)
        var mask = pool.makeBuffer(format: format, width: picture.width, height: picture.height)
        picture.withPlanes { planes in
            mask.withMutablePlane(0) { target in
                switch format {
                case .gray8: render(patches, in: rows, planes, as: UInt8.self, into: target)
                case .grayf16: render(patches, in: rows, planes, as: Float16.self, into: target)
                default: render(patches, in: rows, planes, as: Float.self, into: target)
                }
            }
        }
        return mask.publish()
    }

    private func render<T: MaskComponent>(
        _ patches: [MaskPatch], in rows: Range<Int>, _ planes: [Plane], as type: T.Type, into target: MutablePlane
    ) {
        for y in 0..<target.height { target.row(y, as: type).update(repeating: T.clear, count: target.width) }
        line.withUnsafeMutableBufferPointer { line in
            for patch in patches {
                let fade = PatchFade(patch, frameWidth: target.width, frameHeight: target.height)
                for row in 0..<patch.height where rows.contains(patch.y + row) {
                    add(
                        patch, fade, row, planes, by: line.baseAddress!,
                        to: target.row(patch.y + row, as: type) + patch.x)
                }
            }
        }
    }

    /// Raises the components of `target`, where the patch begins, to its row `row`.
    private func add<T: MaskComponent>(
        _ patch: MaskPatch, _ fade: PatchFade, _ row: Int, _ planes: [Plane], by line: UnsafeMutablePointer<Float>,
        to target: UnsafeMutablePointer<T>
    ) {
        let weight = fade.rows[row]
        func raise(_ columns: Range<Int>) {
            fade.apply(weight, to: line, columns: columns)
            T.raise(target + columns.lowerBound, to: line + columns.lowerBound, count: columns.count)
        }
        guard case .refiner(let refiner) = patch.source else {
            patch.enlarge(row, into: line)
            return raise(0..<patch.width)
        }
        for run in refiner.runs(inRow: row) {
            let columns = run.columns
            switch run.kind {
            case .clear: continue
            case .opaque:
                let whole = weight == 1 ? columns.clamped(to: fade.whole) : columns.lowerBound..<columns.lowerBound
                (target + whole.lowerBound).update(repeating: T.opaque, count: whole.count)
                // A run may lie in the fading columns alone.
                let rests =
                    whole.isEmpty
                    ? [columns] : [columns.lowerBound..<whole.lowerBound, whole.upperBound..<columns.upperBound]
                for rest in rests where !rest.isEmpty {
                    (line + rest.lowerBound).update(repeating: 1, count: rest.count)
                    raise(rest)
                }
            case .mixed:
                let inFrame = patch.x + columns.lowerBound..<patch.x + columns.upperBound
                guide.withRow(patch.y + row, columns: inFrame, of: planes) { guide in
                    refiner.write(row, columns: columns, guide: guide.from(patch.x), into: line)
                }
                raise(columns)
            }
        }
    }
}
