import Imaging

/// A decoded picture of a background, and when it is shown.
struct TimedPicture {
    let frame: FrameReference
    /// When it begins to be shown, from the first picture on, in units of the sequence's time base.
    let start: Int64
    /// When its own duration is over.
    let end: Int64
    /// Width of a stored pixel over its height; `0/1` where unknown.
    let sampleAspectRatio: Rational
    /// How it is turned for showing.
    let orientation: Orientation
}
