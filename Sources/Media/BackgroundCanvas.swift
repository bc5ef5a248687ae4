import Glibc
import Imaging

/// Lays a picture on a frame's whole area. Used by one thread at a time.
final class BackgroundCanvas {
    private let pool = PixelBufferPool()

    /// The picture in the middle, with `black` around it, whose components are given plane by plane; the picture itself where
    /// it has that size.
    func center(_ picture: PixelBuffer, on size: PixelSize, black: [UInt16]) -> PixelBuffer {
        guard picture.width != size.width || picture.height != size.height else { return picture }
        let format = picture.format
        let grid = FitGeometry.chromaGrid
        let left = (size.width - picture.width) / 2 / grid * grid
        let top = (size.height - picture.height) / 2 / grid * grid
        var canvas = pool.makeBuffer(format: format, width: size.width, height: size.height)
        picture.withPlanes { planes in
            canvas.withMutablePlanes { targets in
                var components = black[...]
                for (index, layout) in format.planes.enumerated() {
                    let target = targets[index]
                    let sample = components.prefix(layout.componentCount)
                    components = components.dropFirst(layout.componentCount)
                    if format.bytesPerComponent == 1 {
                        Self.fill(target, with: sample.map { UInt8(truncatingIfNeeded: $0) })
                    } else {
                        Self.fill(target, with: Array(sample))
                    }
                    let bytes = layout.componentCount * format.bytesPerComponent
                    let start =
                        target.base + (top >> layout.verticalShift) * target.bytesPerRow
                        + (left >> layout.horizontalShift) * bytes
                    for y in 0..<planes[index].height {
                        memcpy(
                            start + y * target.bytesPerRow, planes[index].row(y, as: UInt8.self),
                            planes[index].width * bytes)
                    }
                }
            }
        }
        return canvas.publish()
    }

    /// The picture side by side and row under row from the upper left corner; its chroma must not be subsampled.
    func tile(_ picture: PixelBuffer, on size: PixelSize) -> PixelBuffer {
        let format = picture.format
        var canvas = pool.makeBuffer(format: format, width: size.width, height: size.height)
        picture.withPlanes { planes in
            canvas.withMutablePlanes { targets in
                for (index, layout) in format.planes.enumerated() {
                    precondition(layout.horizontalShift == 0 && layout.verticalShift == 0, "tiles have full chroma")
                    let bytes = layout.componentCount * format.bytesPerComponent
                    Self.tile(planes[index], on: targets[index], bytesPerSample: bytes)
                }
            }
        }
        return canvas.publish()
    }

    private static func fill<T>(_ plane: MutablePlane, with sample: [T]) {
        let first = plane.row(0, as: T.self)
        for x in 0..<plane.width * sample.count { first[x] = sample[x % sample.count] }
        let byteCount = plane.width * sample.count * MemoryLayout<T>.size
        for y in 1..<max(1, plane.height) { memcpy(plane.row(y, as: UInt8.self), first, byteCount) }
    }

    private static func tile(_ source: Plane, on target: MutablePlane, bytesPerSample: Int) {
        let width = target.width * bytesPerSample
        for y in 0..<target.height {
            let row = target.row(y, as: UInt8.self)
            guard y < source.height else {
                memcpy(row, target.row(y - source.height, as: UInt8.self), width)
                continue
            }
            var done = min(width, source.width * bytesPerSample)
            memcpy(row, source.row(y, as: UInt8.self), done)
            // What is there is whole tiles, so that it can be doubled.
            while done < width {
                let count = min(done, width - done)
                memcpy(row + done, row, count)
                done += count
            }
        }
    }
}
