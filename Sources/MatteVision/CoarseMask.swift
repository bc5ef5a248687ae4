import Imaging

/// What the networks made of a frame: alpha of the regions with people, which is yet to be fitted to the full-size frame.
///
/// So that one frame's mask can be refined while the networks see the next frame: a request's coarse masks may be made on one
/// thread and refined on another, if every one of them is refined, once, in their order. What both need is handed over with
/// them, hence `@unchecked Sendable`.
package struct CoarseMask: @unchecked Sendable {
    let frame: VideoFrame
    let alphas: [RegionAlpha]
    let renderer: MaskRenderer
    let format: PixelFormat
    let foreground: RGBMap?

    /// The mask at the frame's size.
    package func refined() -> PixelBufferObservation {
        let patches = alphas.map { $0.finisher.patch($0, of: frame.pixelBuffer) }
        return PixelBufferObservation(
            pixelBuffer: renderer.render(patches, over: frame, format: format), pts: frame.pts, foreground: foreground)
    }
}
