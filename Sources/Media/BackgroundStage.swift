import Imaging

/// What a background must be like to lie behind a frame.
package struct BackgroundStage: Equatable {
    let format: PixelFormat
    /// Stored size in pixels.
    let width: Int
    let height: Int
    let orientation: Orientation
    let color: ColorDescription
    let sampleAspectRatio: Rational

    package init(_ frame: VideoFrame) {
        format = frame.pixelBuffer.format
        width = frame.pixelBuffer.width
        height = frame.pixelBuffer.height
        orientation = frame.orientation
        color = frame.color
        sampleAspectRatio = frame.sampleAspectRatio
    }

    /// Size as shown.
    var uprightSize: PixelSize { PixelSize(width: width, height: height).turned(by: orientation) }

    var isFullRange: Bool { color.isFullRange(in: format.colorModel) }

    /// Where chroma lies in a picture that is turned by `orientation` to be upright and then as this stage is; nil where that
    /// has no name.
    func chromaLocation(beforeTurning orientation: Orientation) -> ColorDescription.ChromaLocation? {
        guard orientation != .up || self.orientation != .up else { return color.chromaLocation.settled }
        let upright = color.chromaLocation.settled.turnedUpright(by: self.orientation)
        let turned = upright.turnedUpright(by: orientation.inverse)
        return turned == .unspecified ? nil : turned
    }

    /// The tags with nothing that the size would have to settle.
    var settledColor: ColorDescription {
        var color = color
        color.matrix = color.matrix.resolved(width: width, height: height)
        color.range = isFullRange ? .full : .limited
        return color
    }
}
