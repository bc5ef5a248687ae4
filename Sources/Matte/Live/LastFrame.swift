import Imaging

/// What the last frame that came in was like, and when it was shown.
///
/// Its picture is not kept: that of a camera may lie in the driver's memory, which goes with the camera.
struct LastFrame {
    /// nil where none came yet.
    private(set) var frame: VideoFrame?
    private var time = 0.0
    /// Stands for the picture.
    private var blank: PixelBuffer?

    /// Notes `frame`, which was shown at `time` seconds.
    mutating func note(_ frame: VideoFrame, at time: Double) {
        let (format, width, height) = (frame.pixelBuffer.format, frame.pixelBuffer.width, frame.pixelBuffer.height)
        if blank?.format != format || blank?.width != width || blank?.height != height {
            blank = MutablePixelBuffer(format: format, width: width, height: height).publish()
        }
        var frame = frame
        frame.pixelBuffer = blank ?? frame.pixelBuffer
        (self.frame, self.time) = (frame, time)
    }

    /// The time stamp of one that is shown at `time` seconds; nil where it has none.
    func pts(at time: Double) -> Int64? {
        guard let frame, let pts = frame.pts else { return nil }
        return pts + Int64((time - self.time) / frame.timeBase.value)
    }
}
