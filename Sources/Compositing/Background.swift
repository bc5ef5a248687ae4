import Imaging

/// What takes the place of the background. All lengths are in pixels of a picture 720 pixels high; one that can't be meant counts as
/// the nearest that can, and what is no number as the shortest.
public enum Background: Sendable {
    /// One colour everywhere, of sRGB; in an HDR frame its white is reference white.
    case color(RGBColor)
    /// A picture in the frame's own format, size, orientation and colour. Another format or size is a caller's mistake, and
    /// traps; the other two can't be told from the picture, and are taken for the frame's.
    case picture(PixelBuffer)
    /// What is behind the people, as it is: for effects alone.
    case original
    /// What is behind the people, blurred as by a Gaussian whose standard deviation is `radius`; the people are taken out
    /// before.
    case blur(radius: Double)
    /// What is behind the people, as a lens with a round aperture shows it out of focus: lights become discs of `radius`,
    /// and a soft light lies around the people, who are taken out before.
    case bokeh(radius: Double)
}
