import Imaging

/// Estimates the people's own colours, without what of the old background is in soft edges.
///
/// A pixel with an alpha between 0 and 255 holds something of what is behind the person, and would carry it along into every
/// new picture. Around such pixels two smooth colours are estimated for each plane, that of the people from nearly
/// opaque alpha and that of the background from nearly clear alpha, and the pixel is separated into the two, as
/// `ForegroundMixture` says. All is done on the frame's own components. Where alpha is 255, and where one of the two
/// colours can't be known, the pixel stays as it is. Keeps its working memory, and is therefore for one thread at a time.
final class ForegroundEstimator {
    private let separator = PlaneSeparator()
    private let given = GivenForeground()
    private var frameCells = SoftCells()
    private var chromaCells = SoftCells()
    private var chromaAlpha = AlphaPlane()

    /// A row of a plane: the foreground's components, and the alpha of each.
    struct Row<T> {
        let plane: Int
        let y: Int
        let components: UnsafePointer<T>
        let alpha: UnsafePointer<UInt8>
    }

    /// Calls `body` with every row of every plane of `frame`, whose components are of type `T`, from the top.
    ///
    /// `mask` is a `gray8` picture of the frame's size. `foreground`, where there is one, takes the place of the estimate. The
    /// row's memory is valid only during the call.
    func forEachRow<T: PixelComponent>(
        of frame: VideoFrame, mask: PixelBuffer, foreground: RGBMap?, as type: T.Type, _ body: (Row<T>) -> Void
    ) {
        if let foreground { given.prepare(foreground, for: frame) }
        let format = frame.pixelBuffer.format
        let peak = T(truncatingIfNeeded: (1 << format.bitDepth) - 1)
        mask.withPlane(0) { mask in
            frame.pixelBuffer.withPlanes { planes in
                updateChromaAlpha(planes, mask, frame)
                if foreground == nil { findCells(planes, mask, frame) }
                for (index, layout) in format.planes.enumerated() {
                    func forEachRow(alpha: Plane, _ cells: SoftCells) {
                        let source = PlaneSeparator.Source(
                            samples: planes[index], componentCount: layout.componentCount, peak: peak, alpha: alpha,
                            cells: cells)
                        func take(_ y: Int, _ components: UnsafePointer<T>, _ alpha: UnsafePointer<UInt8>) {
                            body(Row(plane: index, y: y, components: components, alpha: alpha))
                        }
                        if foreground != nil {
                            given.forEachRow(of: source, plane: index, take)
                        } else {
                            separator.forEachRow(of: source, take)
                        }
                    }
                    if layout.isSubsampled {
                        chromaAlpha.withPlane { forEachRow(alpha: $0, chromaCells) }
                    } else {
                        forEachRow(alpha: mask, frameCells)
                    }
                }
            }
        }
    }

    private func updateChromaAlpha(_ planes: [Plane], _ mask: Plane, _ frame: VideoFrame) {
        let layouts = frame.pixelBuffer.format.planes
        guard let index = layouts.firstIndex(where: \.isSubsampled) else { return }
        chromaAlpha.update(
            from: mask, layout: layouts[index], width: planes[index].width, height: planes[index].height,
            chromaLocation: frame.color.chromaLocation, isInterlaced: frame.isInterlaced)
    }

    private func findCells(_ planes: [Plane], _ mask: Plane, _ frame: VideoFrame) {
        let shift = Self.cellShift(width: mask.width, height: mask.height)
        frameCells.find(in: mask, horizontalShift: shift, verticalShift: shift)
        let layouts = frame.pixelBuffer.format.planes
        guard let index = layouts.firstIndex(where: \.isSubsampled) else { return }
        let layout = layouts[index]
        chromaAlpha.withPlane {
            chromaCells.find(
                in: $0, horizontalShift: shift - layout.horizontalShift, verticalShift: shift - layout.verticalShift)
        }
    }

    // log2 of a cell's side, which is about a hundredth of the picture's shorter one: what is a strand of hair in a small
    // picture is several pixels wide in a large one. Up to 256 rows of a cell fit into sums of 32 bits.
    private static func cellShift(width: Int, height: Int) -> Int {
        var shift = 2
        while shift < 8, 96 << shift <= min(width, height) { shift += 1 }
        return shift
    }
}
