import Imaging

/// Turns whole pictures. Used by one thread at a time.
final class PictureTurner {
    private let pool = PixelBufferPool()

    /// The picture turned upright by `orientation`; the picture itself for `.up`.
    ///
    /// Chroma that is subsampled in one direction alone can't be turned by a quarter, and traps.
    func turn(_ source: PixelBuffer, by orientation: Orientation) -> PixelBuffer {
        guard orientation != .up else { return source }
        let format = source.format
        let size = PixelSize(width: source.width, height: source.height).turned(by: orientation)
        var target = pool.makeBuffer(format: format, width: size.width, height: size.height)
        source.withPlanes { planes in
            target.withMutablePlanes { targets in
                for (index, plane) in planes.enumerated() {
                    let bytes = format.planes[index].componentCount * format.bytesPerComponent
                    PlaneRotation.rotate(plane, to: targets[index], bytesPerSample: bytes, orientation: orientation)
                }
            }
        }
        return target.publish()
    }
}

extension Orientation {
    /// The turn that brings an upright picture to what `self` turns upright.
    var inverse: Orientation {
        switch self {
        case .right: .left
        case .left: .right
        default: self
        }
    }
}
