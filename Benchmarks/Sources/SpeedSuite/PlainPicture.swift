import Imaging

/// A copy of a picture of 8 bits, each plane without padding.
struct PlainPicture {
    let width: Int
    let height: Int
    /// Each with its size and its samples.
    let planes: [(width: Int, height: Int, samples: Samples<UInt8>)]

    init(_ buffer: PixelBuffer) {
        precondition(buffer.format.bytesPerComponent == 1, "8 bits")
        (width, height) = (buffer.width, buffer.height)
        planes = buffer.withPlanes { planes in
            zip(planes, buffer.format.planes).map { plane, layout in
                let width = plane.width * layout.componentCount
                let samples = Samples<UInt8>(repeating: 0, count: width * plane.height)
                for y in 0..<plane.height {
                    (samples.base + y * width).update(from: plane.row(y, as: UInt8.self), count: width)
                }
                return (width, plane.height, samples)
            }
        }
    }

    /// The picture again, with padding and alignment as the product's own pictures have.
    func buffer(_ format: PixelFormat, _ change: (UInt8) -> UInt8 = { $0 }) -> PixelBuffer {
        var target = MutablePixelBuffer(format: format, width: width, height: height)
        target.withMutablePlanes { targets in
            for (plane, target) in zip(planes, targets) {
                for y in 0..<plane.height {
                    let row = target.row(y, as: UInt8.self)
                    for x in 0..<plane.width { row[x] = change(plane.samples[y * plane.width + x]) }
                }
            }
        }
        return target.publish()
    }
}
