import Imaging

/// A frame without its people, blurred: one `PlaneBlur` for each plane; for one thread at a time.
final class BackgroundBlur {
    /// The height of the picture that a radius is told for.
    private static let referenceHeight = 720.0

    private var planes: [PlaneBlur] = []
    private var chromaAlpha = AlphaPlane()

    /// Takes in `frame` with its mask, to be blurred by `radius`, which is in pixels of a picture 720 pixels high.
    func prepare<T: PixelComponent>(_ frame: VideoFrame, mask: PixelBuffer, radius: Double, as type: T.Type) {
        let layouts = frame.pixelBuffer.format.planes
        while planes.count < layouts.count { planes.append(PlaneBlur()) }
        let deviation = max(radius, 0.5) * Double(frame.uprightSize.height) / Self.referenceHeight
        mask.withPlane(0) { mask in
            frame.pixelBuffer.withPlanes { samples in
                for (index, layout) in layouts.enumerated() {
                    func prepare(_ alpha: Plane) {
                        planes[index].prepare(
                            samples[index], alpha: alpha, componentCount: layout.componentCount,
                            deviation: (
                                deviation / Double(1 << layout.horizontalShift),
                                deviation / Double(1 << layout.verticalShift)
                            ), as: type)
                    }
                    guard layout.horizontalShift > 0 || layout.verticalShift > 0 else {
                        prepare(mask)
                        continue
                    }
                    // The chroma planes of a format are alike.
                    if index <= 1 || layouts[index] != layouts[index - 1] {
                        chromaAlpha.update(
                            from: mask, layout: layout, width: samples[index].width, height: samples[index].height,
                            chromaLocation: frame.color.chromaLocation)
                    }
                    chromaAlpha.withPlane { prepare($0) }
                }
            }
        }
    }

    /// Writes row `y` of plane `plane` to `target`.
    func row<T: PixelComponent>(_ y: Int, plane: Int, peak: T, into target: UnsafeMutablePointer<T>) {
        planes[plane].row(y, peak: peak, into: target)
    }
}
