import Imaging

/// What takes the place of the background.
public enum Background: Hashable, Sendable {
    /// One colour everywhere.
    case color(RGBColor)
    /// What is behind the people, blurred as by a Gaussian whose standard deviation is `radius` pixels of a picture 720 pixels
    /// high; the people are taken out before.
    case blur(radius: Double)
}
