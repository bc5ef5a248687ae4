/// Puts the masks of a frame's regions together to one of the frame's size.
///
/// Takes its pictures from a pool and keeps its working memory; for one thread at a time.
public final class MaskRenderer {
    /// The share of a patch's side over which it fades out towards an edge that is not the frame's.
    private static let fade: Float = 0.06

    private let pool = PixelBufferPool()
    private var values: [Float] = []
    private var line: [Float] = []
    private var luma: [Float] = []

    public init() {}

    /// The mask of `frame` in `format` (`gray8`, `grayf16` or `grayf32`): 0 outside of all patches, and the largest value of
    /// those that overlap.
    public func render(_ patches: [MaskPatch], over frame: PixelBuffer, format: PixelFormat) -> PixelBuffer {
        precondition([.gray8, .grayf16, .grayf32].contains(format), "a mask has one component")
        let (width, height) = (frame.width, frame.height)
        if values.count != width {
            values = Array(repeating: 0, count: width)
            line = values
            luma = values
        }
        let fades = patches.map { Self.weights($0.x, $0.width, limit: width) }
        let columnFades = patches.map { Self.weights($0.y, $0.height, limit: height) }
        var mask = pool.makeBuffer(format: format, width: width, height: height)
        frame.withPlane(0) { plane in
            mask.withMutablePlane(0) { target in
                if patches.count == 1, patches[0].width == width, patches[0].height == height {
                    for y in 0..<height {
                        row(y, of: patches[0], plane, frame.format)
                        line.withUnsafeBufferPointer {
                            MaskWriter.write($0.baseAddress!, count: width, to: target, row: y, format: format)
                        }
                    }
                    return
                }
                for y in 0..<height {
                    values.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
                    for (index, patch) in patches.enumerated() where y >= patch.y && y < patch.y + patch.height {
                        row(y, of: patch, plane, frame.format)
                        add(patch, fades[index], columnFades[index][y - patch.y])
                    }
                    values.withUnsafeBufferPointer {
                        MaskWriter.write($0.baseAddress!, count: width, to: target, row: y, format: format)
                    }
                }
            }
        }
        return mask.publish()
    }

    private func row(_ y: Int, of patch: MaskPatch, _ plane: Plane, _ format: PixelFormat) {
        line.withUnsafeMutableBufferPointer { line in
            switch patch.source {
            case .map(let enlarger, _, _): enlarger.row(y - patch.y, into: line.baseAddress!)
            case .filter(let filter):
                luma.withUnsafeMutableBufferPointer { luma in
                    Luma.row(
                        y, of: plane, columns: patch.x..<patch.x + patch.width, format: format,
                        into: luma.baseAddress!)
                    filter.row(y - patch.y, guide: luma.baseAddress!, into: line.baseAddress!)
                }
            }
        }
    }

    private func add(_ patch: MaskPatch, _ weights: [Float], _ weight: Float) {
        line.withUnsafeBufferPointer { line in
            weights.withUnsafeBufferPointer { weights in
                values.withUnsafeMutableBufferPointer { values in
                    let target = values.baseAddress! + patch.x
                    for x in weights.indices { target[x] = max(target[x], line[x] * weights[x] * weight) }
                }
            }
        }
    }

    /// 1 inside, falling towards an end that is not the frame's.
    private static func weights(_ start: Int, _ count: Int, limit: Int) -> [Float] {
        (0..<count).map { i in
            let position = (Float(i) + 0.5) / Float(count)
            let fromStart = start > 0 ? position / fade : 1
            let fromEnd = start + count < limit ? (1 - position) / fade : 1
            return min(1, fromStart, fromEnd)
        }
    }
}
