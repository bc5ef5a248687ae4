import CFFmpeg

/// The part of a file that is wanted, and where its first frame comes to stand.
///
/// Times are in units of the video stream's time base. The file's own timeline and the output's differ by `origin`, the time
/// in the file that is 0 in the output.
struct Clip {
    let timeBase: AVRational
    /// The first wanted time on the file's timeline; nil for all from the beginning.
    let start: Int64?
    /// How long before `origin` the run-in begins; nil where there is none.
    let runIn: Int64?
    /// The time on the file's timeline that is 0 where all is wanted.
    private let beginning: Int64
    /// How much is wanted, and the first time on the file's timeline that is not; nil for all, a camera's timeline is not known
    /// before its first frame.
    private let length: Int64?
    private let limit: Int64?
    /// Known from the start on, where the clip has a run-in; nil until the first wanted frame is seen otherwise.
    private(set) var origin: Int64?
    /// The first time on the output's timeline that is not wanted; nil where nothing ends it.
    private(set) var end: Int64?
    /// When each copied video's first key frame is shown.
    private var keyTimes: [Int: Int64] = [:]

    /// `start`, `duration` and `runIn` in seconds; `fileStart` is the container's first time stamp and `shift` the time that is
    /// taken off all time stamps where no start is asked for, both in microseconds; nil for the first frame's. A run-in needs
    /// the `origin` that the same clip has without one.
    init(
        timeBase: AVRational, start: Double?, duration: Double?, fileStart: Int64, shift: Int64?, runIn: Double? = nil,
        origin: Int64? = nil
    ) {
        self.timeBase = timeBase
        let fileStart = TimeBounds.units(microseconds: fileStart, timeBase)
        beginning = shift.map { TimeBounds.units(microseconds: $0, timeBase) } ?? fileStart
        self.start = start.map { fileStart + TimeBounds.units($0, timeBase) }
        // From the start that was asked for, not from the first frame after it: parts that follow each other share no frame.
        let limit = duration.map { fileStart + TimeBounds.units((start ?? 0) + $0, timeBase) }
        self.limit = shift == nil ? nil : limit
        length = duration.map { TimeBounds.units($0, timeBase) }
        self.runIn = origin == nil ? nil : runIn.map { TimeBounds.units($0, timeBase) }
        if let origin {
            setOrigin(origin)
        } else if start == nil, shift != nil {
            setOrigin(beginning)
        }
    }

    private mutating func setOrigin(_ time: Int64) {
        origin = time
        end = limit.map { $0 - time } ?? length
    }

    /// Seconds on the timeline of the whole file that are 0 in the output.
    var offset: Double { start == nil ? 0 : Double((origin ?? beginning) - beginning) * av_q2d(timeBase) }

    /// Seconds from `first`, the whole file's first frame on its own timeline, to what is 0 in the output.
    func elapsed(since first: Int64) -> Double {
        start == nil ? 0 : max(0, Double((origin ?? first) - first) * av_q2d(timeBase))
    }

    /// From where decoding must give frames, on the file's timeline; nil for the beginning.
    var firstNeeded: Int64? {
        guard let runIn, let origin else { return start }
        return origin - runIn
    }

    /// Where a frame at `pts` of the file's timeline lies on the output's; nil if it comes before the start and its run-in.
    mutating func place(_ pts: Int64) -> Int64? {
        if origin == nil {
            if let start, pts < start { return nil }
            setOrigin(pts)
        }
        let time = pts - (origin ?? 0)
        if let runIn, time < -runIn { return nil }
        return time
    }

    /// Whether a frame at `time` of the output's timeline is of the run-in.
    func isRunIn(_ time: Int64) -> Bool { runIn != nil && time < 0 }

    /// Ends the clip at `time` of the output's timeline.
    mutating func stop(at time: Int64) { end = min(end ?? time, time) }

    /// Starts over, for another try at finding the beginning.
    mutating func restart() {
        guard start != nil else { return }
        keyTimes = [:]
        if runIn == nil { (origin, end) = (nil, nil) }
    }

    /// Moves a packet of a copied stream onto the output's timeline; false where it is not wanted.
    ///
    /// A packet that begins before the start is left out, so that the output starts at 0 in all streams, and so is one whose
    /// time isn't told or can't be; only a subtitle that is still to be seen is shortened instead. At the end all is shortened but
    /// audio, whose packets are as long as what they hold. Video begins with a key frame, without pictures that are shown before it but
    /// refer to others, and ends with the last packet whose time of decoding is wanted: earlier pictures may refer to it.
    mutating func place(_ packet: Packet, kind: StreamDescription.Kind) -> Bool {
        let timeBase = packet.timeBase.av
        guard let origin, let offset = TimeBounds.rescaled(origin, from: self.timeBase, to: timeBase)
        else { return false }
        packet.shift(by: -offset)
        guard let time = packet.pts ?? packet.dts else { return start == nil }
        if isPastEnd(packet, kind: kind) { return false }
        if kind != .audio, let end, let end = TimeBounds.rescaled(end, from: self.timeBase, to: timeBase), time < end {
            packet.pointer.pointee.duration = min(packet.duration, end - time)
        }
        guard start != nil else { return true }
        if kind == .subtitle, time < 0, time + packet.duration > 0 {
            packet.pointer.pointee.duration = time + packet.duration
            packet.pointer.pointee.pts = 0
            packet.pointer.pointee.dts = 0
            return true
        }
        guard kind == .video else { return time >= 0 }
        if let first = keyTimes[packet.streamIndex] { return time >= first }
        guard time >= 0, packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 else { return false }
        keyTimes[packet.streamIndex] = time
        return true
    }

    /// Whether a packet as the file has it ends before the start that was asked for.
    func isBeforeStart(_ packet: Packet) -> Bool {
        guard let start, let time = packet.pts ?? packet.dts else { return false }
        let (end, isFar) = time.addingReportingOverflow(max(0, packet.duration))
        return !isFar && av_compare_ts(end, packet.timeBase.av, start, timeBase) < 0
    }

    /// Whether a packet that has been placed begins at or after the end, video by when it is decoded.
    func isPastEnd(_ packet: Packet, kind: StreamDescription.Kind, by slack: Double = 0) -> Bool {
        guard let end, let time = kind == .video ? packet.dts ?? packet.pts : packet.pts ?? packet.dts else {
            return false
        }
        let limit = end + Int64(slack / av_q2d(timeBase))
        return av_compare_ts(time, packet.timeBase.av, limit, timeBase) >= 0
    }
}
