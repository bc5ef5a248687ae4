import Imaging

/// What takes the place of the background.
public enum Background: Hashable, Sendable {
    /// One colour everywhere.
    case color(RGBColor)
}
