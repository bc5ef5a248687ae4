import CFFmpeg
import Imaging

/// The unit in which an encoder counts time.
enum EncoderTiming {
    /// Codecs whose stream tells a constant frame rate and nothing else.
    private static let constantRate: Set<UInt32> = [
        AV_CODEC_ID_MPEG1VIDEO.rawValue, AV_CODEC_ID_MPEG2VIDEO.rawValue, AV_CODEC_ID_H261.rawValue,
        AV_CODEC_ID_H263.rawValue, AV_CODEC_ID_THEORA.rawValue,
    ]

    /// Containers that number frames instead of timing them, by the muxer's name.
    private static let numberingFrames = leavingNoGaps.union(["avi", "ogg", "ogv"])

    /// Those of them in which no number is left out.
    private static let leavingNoGaps: Set<String> = ["mxf", "mxf_d10", "mxf_opatom", "gxf", "dv", "swf", "rm", "amv"]

    /// The rates that everybody knows of MXF.
    private static let ratesOfMXF: [AVRational] = {
        let rates: [(CInt, CInt)] = [
            (24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1), (50, 1), (60000, 1001), (60, 1),
        ]
        return rates.map { AVRational(num: $0.0, den: $0.1) }
    }()

    /// Whether all streams begin at once: where audio begins later, that can't be told.
    static func beginsTogether(in format: UnsafePointer<AVOutputFormat>) -> Bool {
        leavesNoGaps(in: format) || format.name == "avi"
    }

    /// Whether each frame lasts until the next one, at a constant rate.
    static func leavesNoGaps(in format: UnsafePointer<AVOutputFormat>) -> Bool { leavingNoGaps.contains(format.name) }

    /// Containers that tell no time of showing beside the time of decoding: frames must be coded in the order they are shown.
    private static let withoutReordering: Set<String> = ["avi"]

    /// Whether frames may be coded in another order than they are shown in.
    static func allowsReordering(in format: UnsafePointer<AVOutputFormat>) -> Bool {
        !withoutReordering.contains(String(cString: format.pointee.name))
    }

    /// The rate that is told of frames without times: the grid that they lie on, unless many of its places are empty; else the average, or
    /// what is near it in a container of few rates.
    static func rate(
        average: AVRational, grid: AVRational, in format: UnsafePointer<AVOutputFormat>
    ) -> AVRational {
        guard average.num > 0, grid.num > 0 else {
            return average.num > 0 ? average : AVRational(num: 25, den: 1)
        }
        func distance(_ rate: AVRational) -> Double { abs(av_q2d(rate) / av_q2d(average) - 1) }
        if distance(grid) < 0.01 { return grid }
        let near = format.name.hasPrefix("mxf") ? ratesOfMXF.filter { distance($0) < 0.05 } : []
        return near.min { distance($0) < distance($1) } ?? average
    }

    /// Where frames lie whose times the input rounded; nil where times are told as they are, or frames are counted.
    static func grid(
        of input: AVRational, frameRate: AVRational, codec: AVCodecID, format: UnsafePointer<AVOutputFormat>
    ) -> FrameGrid? {
        isCounting(codec, format) ? nil : FrameGrid(of: input, rate: frameRate, format: format)
    }

    private static func isCounting(_ codec: AVCodecID, _ format: UnsafePointer<AVOutputFormat>) -> Bool {
        format.isTimeless || numberingFrames.contains(format.name) || constantRate.contains(codec.rawValue)
    }

    /// The input's own unit, so that no time is rounded, except where the codec or the container only counts frames, or where the
    /// input's times are rounded already.
    static func timeBase(
        of input: AVRational, frameRate: AVRational, codec: AVCodecID, format: UnsafePointer<AVOutputFormat>
    ) -> AVRational {
        if isCounting(codec, format), frameRate.num > 0 {
            return AVRational(num: frameRate.den, den: frameRate.num)
        }
        if let grid = grid(of: input, frameRate: frameRate, codec: codec, format: format) { return grid.timeBase }
        // MPEG-4 part 2 counts time in 16 bits; 60000 holds all usual frame rates.
        if codec == AV_CODEC_ID_MPEG4, input.den > 65535 { return AVRational(num: 1, den: 60000) }
        return input
    }
}
