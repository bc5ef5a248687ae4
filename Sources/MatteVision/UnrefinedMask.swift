import Imaging

/// What the networks made of a frame: alpha of the regions with people, which is yet to be fitted to the full-size frame.
///
/// So that one frame's mask can be refined while the networks see the next frame: a request's unrefined masks may be made on one
/// thread and refined on another, if every one of them is refined, once, in their order. What both need is handed over with
/// them, hence `@unchecked Sendable`.
package struct UnrefinedMask: @unchecked Sendable {
    /// The frame that it belongs to.
    package internal(set) var frame: VideoFrame
    let regions: [(alpha: RegionAlpha, finisher: RegionFinisher)]
    let renderer: MaskRenderer
    let format: PixelFormat
    let foreground: RGBMap?

    /// The mask at the frame's size.
    package func refined() -> PixelBufferObservation {
        let patches = regions.map { $0.finisher.patch($0.alpha, of: frame) }
        return PixelBufferObservation(
            pixelBuffer: renderer.render(patches, over: frame, format: format), pts: frame.pts, foreground: foreground)
    }
}
