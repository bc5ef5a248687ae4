/// How the colours of pictures with alpha are written.
public enum AlphaKind: String, Hashable, Sendable, CaseIterable {
    /// Colours are the foreground's own, whatever their alpha: what PNG, WebP, AVIF, TIFF, JPEG XL and WebM demand.
    case straight
    /// Colours are multiplied by their alpha, so that what is transparent is black.
    case premultiplied
}
