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

    /// One like it that is shown at `time` seconds; nil where none came yet.
    func next(at time: Double) -> VideoFrame? {
        guard var next = frame else { return nil }
        next.pts = next.pts.map { $0 + Int64((time - self.time) / next.timeBase.value) }
        return next
    }
}
