import Imaging

/// A picture whose component `c` in sample (x, y) of plane `p` is `value(p, c, x, y)`.
func picture(
    _ format: PixelFormat, width: Int, height: Int, _ value: (Int, Int, Int, Int) -> Int
) -> PixelBuffer {
    var buffer = MutablePixelBuffer(format: format, width: width, height: height)
    buffer.withMutablePlanes { planes in
        for (index, plane) in planes.enumerated() {
            let count = format.planes[index].componentCount
            for y in 0..<plane.height {
                for x in 0..<plane.width * count {
                    let number = value(index, x % count, x / count, y)
                    if format.bytesPerComponent == 1 {
                        plane.row(y, as: UInt8.self)[x] = UInt8(number)
                    } else {
                        plane.row(y, as: UInt16.self)[x] = UInt16(number)
                    }
                }
            }
        }
    }
    return buffer.publish()
}

/// An opaque picture of numbers that look random and are the same in every run.
func noise(_ format: PixelFormat, width: Int, height: Int, seed: UInt32 = 1) -> PixelBuffer {
    var state = seed
    return picture(format, width: width, height: height) { _, component, _, _ in
        guard component < 3 else { return 255 }
        state = state &* 1_664_525 &+ 1_013_904_223
        return Int((state >> 8) % UInt32(1 << format.bitDepth))
    }
}

/// A mask that is `value(x, y)`.
func mask(width: Int, height: Int, _ value: (Int, Int) -> UInt8) -> PixelBuffer {
    picture(.gray8, width: width, height: height) { _, _, x, y in Int(value(x, y)) }
}

extension PixelBuffer {
    /// The components of plane `index`, row after row.
    func components(of index: Int) -> [Int] {
        let count = format.planes[index].componentCount
        return withPlane(index) { plane in
            (0..<plane.height).flatMap { y in
                (0..<plane.width * count).map { x in
                    format.bytesPerComponent == 1
                        ? Int(plane.row(y, as: UInt8.self)[x]) : Int(plane.row(y, as: UInt16.self)[x])
                }
            }
        }
    }

    /// The components of every plane.
    func components() -> [[Int]] { format.planes.indices.map(components(of:)) }
}
