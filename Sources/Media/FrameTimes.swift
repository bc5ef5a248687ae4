import CFFmpeg
import Imaging

/// The times of an output's frames in units of its encoder: those of the input, as far as codec and container can tell them.
struct FrameTimes {
    /// The unit in which the encoder counts.
    let timeBase: AVRational
    /// When the first frame is shown; nil before it, and where nothing but the order of frames is told.
    private(set) var first: Int64?
    /// Seconds at which what was shown is over.
    private(set) var end = 0.0
    private(set) var lastDuration: Int64 = 0

    private let timing: ContainerTiming
    private let containerName: String
    private let frameRate: AVRational
    /// Where frames lie by their rate; nil where their times are told as they are.
    private let grid: FrameGrid?
    private let warnings: Warnings
    /// When the first frame is shown in units of the input.
    private var origin: Int64?
    private var last: Int64?
    /// When the last frame of a GIF is shown, in hundredths of a second.
    private var lastHundredth: Int64?
    private var frameCount: Int64 = 0
    private var spacing = FrameSpacing()

    /// Codecs whose stream tells a constant frame rate and nothing else.
    private static let constantRate: Set<UInt32> = [
        AV_CODEC_ID_MPEG1VIDEO.rawValue, AV_CODEC_ID_MPEG2VIDEO.rawValue, AV_CODEC_ID_H261.rawValue,
        AV_CODEC_ID_H263.rawValue, AV_CODEC_ID_THEORA.rawValue,
    ]

    /// The rates that everybody knows of MXF.
    private static let ratesOfMXF = [
        (24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1), (50, 1), (60000, 1001), (60, 1),
    ].map { AVRational(num: $0.0, den: $0.1) }

    /// Frames of the input come in units of `inputUnit`; the encoder of `codec` may have to get them in units of a frame, as it `countsFrames`.
    init(
        of input: InputFacts, inputUnit: AVRational, codec: AVCodecID, countsFrames: Bool,
        format: UnsafePointer<AVOutputFormat>, warnings: Warnings
    ) {
        timing = ContainerTiming(format)
        containerName = format.name
        frameRate = input.frameRate
        self.warnings = warnings
        let isCounting = timing != .times || countsFrames || Self.constantRate.contains(codec.rawValue)
        grid = isCounting ? nil : FrameGrid(of: inputUnit, rate: input.gridRate, format: format)
        let rate = timing.leavesNoGaps ? Self.rate(of: input, in: format) : input.gridRate
        if isCounting, rate.num > 0 {
            timeBase = AVRational(num: rate.den, den: rate.num)
        } else if let grid {
            timeBase = grid.timeBase
        } else if codec == AV_CODEC_ID_MPEG4, inputUnit.den > UInt16.max {
            // MPEG-4 part 2 counts time in 16 bits; 60000 holds all usual frame rates.
            timeBase = AVRational(num: 1, den: 60000)
        } else {
            // The input's own, so that no time is rounded.
            timeBase = inputUnit
        }
    }

    /// The rate that is told of frames without times: the grid that they lie on, unless many of its places are empty; else the average, or
    /// what is near it in a container of few rates.
    private static func rate(of input: InputFacts, in format: UnsafePointer<AVOutputFormat>) -> AVRational {
        let (average, grid) = (input.frameRate, input.gridRate)
        guard average.num > 0, grid.num > 0 else {
            return average.num > 0 ? average : AVRational(num: 25, den: 1)
        }
        func distance(_ rate: AVRational) -> Double { abs(av_q2d(rate) / av_q2d(average) - 1) }
        if distance(grid) < 0.01 { return grid }
        let near = format.name.hasPrefix("mxf") ? ratesOfMXF.filter { distance($0) < 0.05 } : []
        return near.min { distance($0) < distance($1) } ?? average
    }

    /// When the next frame is shown and for how long; time always grows. nil for a frame that can't be shown at all.
    mutating func next(_ frame: VideoFrame) -> (pts: Int64, duration: Int64)? {
        if timing == .order { return (number(frame), 1) }
        var (pts, duration) = (toldTime(of: frame) ?? (last ?? 0) + lastDuration, toldDuration(of: frame))
        if timing == .rate { (pts, duration) = ((first ?? pts) + number(frame), 1) }
        if let last, pts <= last {
            pts = last + 1
            let time = (Double(pts) * av_q2d(timeBase) * 1000).rounded() / 1000
            warnings.once(.frameTimes, "frames whose time did not grow were moved, the first of them to \(time) s")
        }
        first = first ?? pts
        end = max(end, Double(pts + duration) * av_q2d(timeBase))
        (last, lastDuration) = (pts, duration)
        guard !isTooSoon(pts) else {
            warnings.once(.frameRate, "gif can't show more than 50 frames a second: the others are left out")
            return nil
        }
        return (pts, duration)
    }

    /// Where units are coarse it is the distance from the first frame that is rounded: frames that all lie between two of them would else
    /// go to the one before or to that behind.
    private mutating func toldTime(of frame: VideoFrame) -> Int64? {
        guard let pts = frame.pts, TimeBounds.holdsTime(pts, frame.timeBase.av) else { return nil }
        let origin = origin ?? pts
        self.origin = origin
        guard let start = TimeBounds.rescaled(origin, from: frame.timeBase.av, to: timeBase),
            let distance = TimeBounds.rescaled(pts - origin, from: frame.timeBase.av, to: timeBase)
        else { return nil }
        return start + (grid?.place(distance) ?? distance)
    }

    private func toldDuration(of frame: VideoFrame) -> Int64 {
        let isMeant = TimeBounds.holdsDuration(frame.duration, frame.timeBase.av)
        let told = isMeant ? av_rescale_q(frame.duration, frame.timeBase.av, timeBase) : 0
        let duration = grid?.place(told) ?? told
        guard duration <= 0, frameRate.num > 0 else { return duration }
        return max(1, av_rescale_q(1, AVRational(num: frameRate.den, den: frameRate.num), timeBase))
    }

    /// The frame's number, where frames are written one by one.
    private mutating func number(_ frame: VideoFrame) -> Int64 {
        spacing.note(frame.pts.flatMap { TimeBounds.holdsTime($0, frame.timeBase.av) ? $0 : nil })
        if !spacing.isConstant {
            warnings.once(
                .frameTimes,
                "the frame rate varies, which \(containerName) can't tell: the frames are written one by one")
        }
        defer { frameCount += 1 }
        return frameCount
    }

    /// Whether a frame of a GIF would let the one before it be seen for less than the two hundredths of a second that players take at
    /// their word; a shorter time they make ten.
    private mutating func isTooSoon(_ pts: Int64) -> Bool {
        guard containerName == "gif" else { return false }
        let hundredth = av_rescale_q(pts, timeBase, AVRational(num: 1, den: 100))
        if let lastHundredth, hundredth - lastHundredth < 2 { return true }
        lastHundredth = hundredth
        return false
    }
}
