/// One picture of a video and everything that travels with it.
///
/// A value: changing a copy changes nothing else, and copies share the picture's memory.
public struct VideoFrame: Sendable {
    /// The picture as it is stored, before `orientation`.
    public var pixelBuffer: PixelBuffer
    /// Presentation time stamp in units of `timeBase`; nil where time does not matter, as for a still.
    public var pts: Int64?
    /// How long the frame is shown, in units of `timeBase`; 0 where unknown.
    public var duration: Int64
    /// Seconds that one unit of `pts` lasts.
    public var timeBase: Rational
    /// What the picture's numbers mean; what is left open is read as players do.
    public var color: ColorDescription
    /// Width of a pixel over its height; `0/1` where unknown.
    public var sampleAspectRatio: Rational
    /// How the stored picture is turned for showing.
    public var orientation: Orientation
    /// Whether the rows are those of two fields in turn, each a picture of its own moment.
    public var isInterlaced: Bool
    /// What the reader wants the writer to have besides (side data, field order): opaque to every other room.
    public var attachments: (any Sendable)?
    /// The light that is taken out where the picture is read as RGB, as networks are to see it; white for none.
    package var illuminant = Illuminant.white

    /// A frame of `pixelBuffer`; a still picture where nothing else is told.
    public init(
        pixelBuffer: PixelBuffer, pts: Int64? = nil, duration: Int64 = 0, timeBase: Rational = Rational(1, 1_000_000),
        color: ColorDescription = .unspecified, sampleAspectRatio: Rational = Rational(0, 1),
        orientation: Orientation = .up, isInterlaced: Bool = false, attachments: (any Sendable)? = nil
    ) {
        self.pixelBuffer = pixelBuffer
        self.pts = pts
        self.duration = duration
        self.timeBase = timeBase
        self.color = color
        self.sampleAspectRatio = sampleAspectRatio
        self.orientation = orientation
        self.isInterlaced = isInterlaced
        self.attachments = attachments
    }

    /// The same moment in gray of full range, as `picture` of the same size and orientation shows it.
    package func withGray(_ picture: PixelBuffer) -> VideoFrame {
        var frame = self
        frame.pixelBuffer = picture
        frame.color = ColorDescription(range: .full)
        return frame
    }

    /// The same frame, shown turned clockwise by `quarters` more.
    public func turned(by quarters: Int) -> VideoFrame {
        var frame = self
        frame.orientation = orientation.turned(by: quarters)
        return frame
    }

    /// The presentation time in seconds; nil without a time stamp.
    public var time: Double? { pts.map { Double($0) * timeBase.value } }

    /// Width and height in pixels as shown, with the orientation applied.
    public var uprightSize: (width: Int, height: Int) {
        let buffer = pixelBuffer
        return orientation.swapsAxes ? (buffer.height, buffer.width) : (buffer.width, buffer.height)
    }

    /// Width of an upright pixel over its height; 1 where it is not known, or can't be meant.
    public var uprightPixelAspect: Double {
        guard sampleAspectRatio.isKnown, (0.1...10).contains(sampleAspectRatio.value) else { return 1 }
        return orientation.swapsAxes ? 1 / sampleAspectRatio.value : sampleAspectRatio.value
    }

    /// Width and height of the upright frame as a screen shows it, in square pixels of the upright frame's height.
    public var displaySize: (width: Int, height: Int) {
        let (width, height) = uprightSize
        return (max(1, Int((Double(width) * uprightPixelAspect).rounded())), height)
    }

    /// From edges of the square pixels that are shown to pixel edges of the stored frame.
    var displayToStored: AffineTransform {
        AffineTransform.scale(Double(uprightSize.width) / Double(displaySize.width), 1).then(uprightToStored)
    }

    /// From pixel edges of the upright frame to those of the stored one.
    public var uprightToStored: AffineTransform {
        AffineTransform.scale(1 / Double(uprightSize.width), 1 / Double(uprightSize.height))
            .then(orientation.uprightToStored)
            .then(.scale(Double(pixelBuffer.width), Double(pixelBuffer.height)))
    }
}
