import Imaging

/// A picture without its people, drawn anew in one of the looks: one `BackgroundPlane` for each plane; for one thread at a
/// time.
final class FilteredBackground {
    private var planes: [BackgroundPlane] = []
    private var weights = BackgroundWeights()

    /// Takes in `picture`, which has the format and size of `frame`, to be drawn as `look` says; with a `mask` of the people in
    /// it, nothing of them is left.
    func prepare<T: PixelComponent>(
        _ picture: PixelBuffer, like frame: VideoFrame, mask: PixelBuffer?, look: BackgroundLook, as type: T.Type
    ) {
        let layouts = picture.format.planes
        let subsampling = picture.format.subsampling
        while planes.count < layouts.count { planes.append(BackgroundPlane()) }
        if let mask {
            let isBokeh = if case .bokeh = look { true } else { false }
            weights.update(frame, mask: mask, prefersLights: isBokeh)
        }
        picture.withPlanes { samples in
            for (index, layout) in layouts.enumerated() {
                func prepare(_ weights: Plane?) {
                    planes[index].prepare(
                        samples[index], weights: weights, componentCount: layout.componentCount,
                        look: look.subsampled(layout.horizontalShift, layout.verticalShift),
                        // What is one sample of the plane that has the fewest.
                        step: (
                            subsampling.width >> layout.horizontalShift, subsampling.height >> layout.verticalShift
                        ), as: type)
                }
                guard mask != nil else {
                    prepare(nil)
                    continue
                }
                weights.withPlane(layout, width: samples[index].width, height: samples[index].height) { prepare($0) }
            }
        }
    }

    /// Samples in a row of plane `plane`.
    func width(of plane: Int) -> Int { planes[plane].width }

    /// Writes row `y` of plane `plane` to `target`.
    func row<T: PixelComponent>(_ y: Int, plane: Int, peak: T, into target: UnsafeMutablePointer<T>) {
        planes[plane].row(y, peak: peak, into: target)
    }
}
