/// Puts the masks of a frame's regions together to one of the frame's size.
///
/// Takes its pictures from a pool and keeps its working memory; for one thread at a time. What is surely clear or opaque costs
/// hardly more than writing it.
public final class MaskRenderer {
    private let pool = PixelBufferPool()
    private var line: [Float] = []
    private var luma: [Float] = []

    public init() {}

    /// The mask of `frame` in `format` (`gray8`, `grayf16` or `grayf32`): 0 outside of all patches, and the largest value of
    /// those that overlap.
    public func render(_ patches: [MaskPatch], over frame: PixelBuffer, format: PixelFormat) -> PixelBuffer {
        precondition([.gray8, .grayf16, .grayf32].contains(format), "a mask has one component")
        if line.count != frame.width {
            line = Array(repeating: 0, count: frame.width)
            luma = line
        }
        var mask = pool.makeBuffer(format: format, width: frame.width, height: frame.height)
        frame.withPlane(0) { plane in
            mask.withMutablePlane(0) { target in
                switch format {
                case .gray8: render(patches, plane, frame.format, as: UInt8.self, into: target)
                case .grayf16: render(patches, plane, frame.format, as: Float16.self, into: target)
                default: render(patches, plane, frame.format, as: Float.self, into: target)
                }
            }
        }
        return mask.publish()
    }

    private func render<T: MaskComponent>(
        _ patches: [MaskPatch], _ plane: Plane, _ format: PixelFormat, as type: T.Type, into target: MutablePlane
    ) {
        let fades = patches.map { PatchFade($0, frameWidth: target.width, frameHeight: target.height) }
        line.withUnsafeMutableBufferPointer { line in
            luma.withUnsafeMutableBufferPointer { luma in
                for y in 0..<target.height {
                    let row = target.row(y, as: type)
                    row.update(repeating: T.clear, count: target.width)
                    for (patch, fade) in zip(patches, fades) where y >= patch.y && y < patch.y + patch.height {
                        let lines = Lines(
                            line: line.baseAddress!, luma: luma.baseAddress!, plane: plane, format: format)
                        Self.add(patch, fade, y, lines, to: row + patch.x)
                    }
                }
            }
        }
    }

    private struct Lines {
        let line: UnsafeMutablePointer<Float>
        let luma: UnsafeMutablePointer<Float>
        let plane: Plane
        let format: PixelFormat
    }

    /// Raises the components of `target`, where the patch begins, to its row at the frame's row `y`.
    private static func add<T: MaskComponent>(
        _ patch: MaskPatch, _ fade: PatchFade, _ y: Int, _ lines: Lines, to target: UnsafeMutablePointer<T>
    ) {
        let (row, line) = (y - patch.y, lines.line)
        let weight = fade.rows[row]
        func raise(_ columns: Range<Int>) {
            fade.apply(weight, to: line, columns: columns)
            T.raise(target + columns.lowerBound, to: line + columns.lowerBound, count: columns.count)
        }
        guard case .filter(let filter) = patch.source else {
            patch.enlarge(row, into: line)
            return raise(0..<patch.width)
        }
        for run in filter.runs(inRow: row) {
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
                Luma.row(
                    y, of: lines.plane, columns: patch.x + columns.lowerBound..<patch.x + columns.upperBound,
                    format: lines.format, into: lines.luma + columns.lowerBound)
                filter.write(row, columns: columns, guide: lines.luma, into: line)
                raise(columns)
            }
        }
    }
}
