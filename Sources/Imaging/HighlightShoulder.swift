/// Fits the highlights of HDR light into 0…1.
///
/// Light up to `knee` stays; above it an extended Reinhard curve (Reinhard et al. 2002, equation 4) leaves with slope 1 and
/// reaches 1 at `peak`. The brightest component alone decides, so that hue and saturation stay.
struct HighlightShoulder {
    /// The light where the roll-off begins; reference white is 1.
    let knee: Float = 0.75
    /// The light that becomes 1, and all that is brighter: 1000 cd/m², for which most HDR video is made.
    let peak: Float = 1000 / TransferFunction.referenceWhite

    /// What a colour whose brightest component is `light` is multiplied with.
    @inline(__always)
    func gain(of light: Float) -> Float {
        let span = 1 - knee
        let end = (peak - knee) / span
        let above = max(0, min(light, peak) - knee) / span
        let rolled = min(light, knee) + span * above * (1 + above / (end * end)) / (1 + above)
        return rolled / max(light, .leastNormalMagnitude)
    }
}
