import CFFmpeg
import Imaging

/// Makes `VideoFrame`s of what the decoder gives, without copying where the format is known.
final class FrameImporter {
    /// The picture's turn as the container or the first frame tells it.
    private(set) var orientation: Orientation?
    /// The picture's turn where neither the container nor the first frame tells it.
    var fallbackOrientation: Orientation?
    /// The format that the decoder gives.
    private(set) var decodedFormat = AV_PIX_FMT_NONE
    /// One frame in units of the stream's time base, where the frame doesn't tell its length.
    let frameInterval: Int64

    private let container: InputContainer
    /// What is to be added to pictures.
    private let addition: Addition
    private let stream: UnsafeMutablePointer<AVStream>
    private let converter = FrameConverter()
    private let pool = PixelBufferPool()

    init(container: InputContainer, stream: UnsafeMutablePointer<AVStream>, addition: Addition) {
        self.container = container
        self.addition = addition
        self.stream = stream
        orientation = stream.displayMatrix?.orientation
        frameInterval = Self.frameInterval(of: stream, in: container)
    }

    /// One frame at the stream's rate in units of its time base, at least 1; at FFmpeg's 25 a second where none can be meant.
    static func frameInterval(of stream: UnsafeMutablePointer<AVStream>, in container: InputContainer) -> Int64 {
        let rate = container.frameRate(of: stream)
        let timeBase = stream.pointee.time_base
        if rate.num > 0 {
            let interval = av_rescale_q(1, AVRational(num: rate.den, den: rate.num), timeBase)
            if TimeBounds.holdsDuration(interval, timeBase) { return max(1, interval) }
        }
        return max(1, av_rescale_q(1, AVRational(num: 1, den: 25), timeBase))
    }

    func makeFrame(_ source: FrameReference, pts: Int64) throws(AVError) -> VideoFrame {
        decodedFormat = source.pixelFormat
        let buffer: PixelBuffer
        var color = source.color
        // What a camera's driver lends is gone when the camera is.
        let isDriversOwn = container.isCamera && stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_RAWVIDEO
        if !isDriversOwn, let lent = source.lend(), lent.format.hasRoom(for: addition) {
            buffer = lent
        } else {
            (buffer, color) = try convert(source)
        }
        if orientation == nil {
            orientation = source.displayMatrix?.orientation ?? fallbackOrientation ?? .up
        }
        return VideoFrame(
            pixelBuffer: buffer, pts: pts, duration: source.duration(stream.pointee.time_base),
            timeBase: Rational(stream.pointee.time_base), color: color,
            sampleAspectRatio: Rational(av_guess_sample_aspect_ratio(container.context, stream, source.pointer)),
            orientation: orientation ?? .up, isInterlaced: FFFrameIsInterlaced(source.pointer) != 0,
            attachments: try FrameProperties(of: source))
    }

    /// Converts to the nearest format that `PixelFormat` knows.
    private func convert(_ source: FrameReference) throws(AVError) -> (PixelBuffer, ColorDescription) {
        let width = Int(source.pointer.pointee.width)
        let height = Int(source.pointer.pointee.height)
        guard width > 0, height > 0, let target = PixelFormat.nearest(to: source.pixelFormat, for: addition)
        else {
            throw .invalidArgument
        }
        var color = source.color
        if source.pixelFormat.isRGB && target.colorModel == .yuv {
            color = color.convertedFromRGB(width: width, height: height)
        } else if source.pixelFormat.isGray, target.colorModel == .yuv, color.range == .unspecified {
            // Grey is full where nothing else is told, YUV limited; codes are kept.
            color.range = .full
        }
        let isFull = color.range == .full
        let from = FrameConverter.Layout(
            format: source.pixelFormat, width: width, height: height, matrix: color.matrix,
            isFullRange: isFull || source.pixelFormat.isRGB, chromaLocation: color.chromaLocation)
        let to = FrameConverter.Layout(
            format: target.av, width: width, height: height, matrix: color.matrix,
            isFullRange: isFull || target.colorModel == .rgb, chromaLocation: color.chromaLocation)
        var picture = pool.makeBuffer(format: target, width: width, height: height)
        try picture.withMutablePlanes { (planes) throws(AVError) in
            try converter.convert(from, PlanePointers(source), to: to, PlanePointers(planes))
        }
        return (picture.publish(), color)
    }
}

extension ColorDescription {
    /// The tags of a YUV picture that is made of this RGB one: limited range, BT.2020 for its primaries, else BT.709 for high definition and
    /// BT.601 below,
    /// and sRGB's primaries and transfer where the picture tells none.
    func convertedFromRGB(width: Int, height: Int) -> ColorDescription {
        var color = self
        color.matrix =
            primaries == UInt8(AVCOL_PRI_BT2020.rawValue)
            ? .bt2020NonConstantLuminance : Matrix.rgb.resolved(width: width, height: height)
        color.range = .limited
        if primaries == UInt8(AVCOL_PRI_UNSPECIFIED.rawValue) { color.primaries = UInt8(AVCOL_PRI_BT709.rawValue) }
        if transfer == UInt8(AVCOL_TRC_UNSPECIFIED.rawValue) { color.transfer = UInt8(AVCOL_TRC_IEC61966_2_1.rawValue) }
        return color
    }
}
