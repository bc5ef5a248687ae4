import Imaging

/// Width and height in pixels.
struct PixelSize: Equatable {
    var width: Int
    var height: Int

    func turned(by orientation: Orientation) -> PixelSize {
        orientation.swapsAxes ? PixelSize(width: height, height: width) : self
    }
}

/// Which part of a picture is scaled, to what size, and which part of that is shown.
///
/// Both axes are those of the stored picture, and so are counted alike for every turn: the part is in the middle.
struct FitGeometry: Equatable {
    /// One axis, in pixels.
    struct Axis: Equatable {
        /// What is taken of the source, beginning and length.
        var start: Int
        var length: Int
        /// The length that this is scaled to.
        var scaled: Int
        /// What of the scaled picture is shown, beginning and length.
        var shownStart: Int
        var shown: Int
    }

    let horizontal: Axis
    let vertical: Axis

    /// Whether the size of pixels changes.
    var isScaled: Bool { horizontal.length != horizontal.scaled || vertical.length != vertical.scaled }

    /// Beginnings in the scaled picture are multiples of this, so that they fall on whole chroma samples.
    static let chromaGrid = 2
    /// No picture has pixels further from square than this, either way; a file that says so is taken to say nothing.
    private static let widestPixel = 10.0

    /// `stage` is the size that is to be covered, turned to the source's axes, `sourcePixel` and `stagePixel` the width of a
    /// pixel over its height; cuts of the source fall on multiples of `grid`.
    init(
        _ fit: BackgroundReader.Fit, source: PixelSize, sourcePixel: Double, stage: PixelSize, stagePixel: Double,
        grid: Int
    ) {
        // How much wider the source's pixels are than the stage's.
        let aspect = sourcePixel / stagePixel
        let across = Double(stage.width) / (Double(source.width) * aspect)
        let down = Double(stage.height) / Double(source.height)
        switch fit {
        case .fill:
            let scale = max(across, down)
            horizontal = Self.covering(source.width, scale: scale * aspect, stage: stage.width, grid: grid)
            vertical = Self.covering(source.height, scale: scale, stage: stage.height, grid: grid)
        case .fit:
            let scale = min(across, down)
            horizontal = Self.whole(source.width, scaled: Self.inside(source.width, scale * aspect, stage.width))
            vertical = Self.whole(source.height, scaled: Self.inside(source.height, scale, stage.height))
        case .tile:
            // Pixels of another shape are drawn out, on the one axis or the other.
            let width = Double(source.width) * max(1, aspect)
            let height = Double(source.height) * max(1, 1 / aspect)
            horizontal = Self.whole(source.width, scaled: Int(width.rounded()))
            vertical = Self.whole(source.height, scaled: Int(height.rounded()))
        }
    }

    /// The width of a pixel over its height; 1 where it is unknown or can't be.
    static func pixelAspect(_ ratio: Rational, turned orientation: Orientation) -> Double {
        let value = ratio.isKnown ? ratio.value : 1
        guard value > 1 / widestPixel, value < widestPixel else { return 1 }
        return orientation.swapsAxes ? 1 / value : value
    }

    private static func covering(_ size: Int, scale: Double, stage: Int, grid: Int) -> Axis {
        // Where the exact cut falls within a pixel, the whole pixel is taken and the rest cut off after scaling.
        let slack = 1e-6
        let cut = max(0, (Double(size) - Double(stage) / scale) / 2)
        let start = Int(cut + slack) / grid * grid
        let end = min(size, (Int((Double(size) - cut - slack).rounded(.up)) + grid - 1) / grid * grid)
        let scaled = max(stage, Int((Double(end - start) * scale).rounded()))
        let offset = min(scaled - stage, Int(((cut - Double(start)) * scale).rounded()))
        return Axis(
            start: start, length: end - start, scaled: scaled, shownStart: offset / chromaGrid * chromaGrid,
            shown: stage)
    }

    private static func inside(_ size: Int, _ scale: Double, _ stage: Int) -> Int {
        let length = Int((Double(size) * scale).rounded())
        return stage - length < chromaGrid ? stage : max(chromaGrid, length / chromaGrid * chromaGrid)
    }

    private static func whole(_ size: Int, scaled: Int) -> Axis {
        Axis(start: 0, length: size, scaled: scaled, shownStart: 0, shown: scaled)
    }
}
