import CFFmpeg

/// The part of a file that is wanted, and where its first frame comes to stand.
///
/// Times are in units of the video stream's time base. The file's own timeline and the output's differ by `origin`, the time
/// in the file that is 0 in the output.
struct Clip {
    let timeBase: AVRational
    /// The first wanted time on the file's timeline; nil for all from the beginning.
    let start: Int64?
    /// How much is wanted; nil for all.
    let length: Int64?
    /// nil until the first wanted frame is seen.
    private(set) var origin: Int64?
    /// The first time on the output's timeline that is not wanted; nil where nothing ends it.
    private(set) var end: Int64?
    private var keyed: Set<Int> = []

    /// `start` and `duration` in seconds; `fileStart` is the container's first time stamp and `shift` the time that is
    /// taken off all time stamps where no start is asked for, both in microseconds; nil for the first frame's.
    init(timeBase: AVRational, start: Double?, duration: Double?, fileStart: Int64, shift: Int64?) {
        self.timeBase = timeBase
        let unit = av_q2d(timeBase)
        let microseconds = AVRational(num: 1, den: 1_000_000)
        let beginning = av_rescale_q(fileStart, microseconds, timeBase)
        self.start = start.map { beginning + Int64(($0 / unit).rounded()) }
        length = duration.map { Int64(($0 / unit).rounded()) }
        if start == nil, let shift { setOrigin(av_rescale_q(shift, microseconds, timeBase)) }
    }

    private mutating func setOrigin(_ time: Int64) {
        origin = time
        // A part counts from its own first frame; the whole counts from 0.
        end = length
    }

    /// Where a frame at `pts` of the file's timeline lies on the output's; nil if it comes before the start.
    mutating func place(_ pts: Int64) -> Int64? {
        if origin == nil {
            if let start, pts < start { return nil }
            setOrigin(pts)
        }
        return pts - (origin ?? 0)
    }

    /// Ends the clip at `time` of the output's timeline.
    mutating func stop(at time: Int64) { end = min(end ?? time, time) }

    /// Starts over, for another try at finding the beginning.
    mutating func restart() {
        guard start != nil else { return }
        (origin, end, keyed) = (nil, nil, [])
    }

    /// Moves a packet of a copied stream onto the output's timeline; false where it is not wanted.
    ///
    /// A packet that begins before the start is left out, so that the output starts at 0 in all streams; only a subtitle
    /// that is still to be seen is shortened instead. Video begins with a key frame.
    mutating func place(_ packet: Packet, kind: StreamDescription.Kind) -> Bool {
        guard let origin else { return false }
        let timeBase = packet.timeBase.av
        packet.shift(by: -av_rescale_q(origin, self.timeBase, timeBase))
        guard let time = packet.pts ?? packet.dts else { return true }
        if isPastEnd(packet) { return false }
        guard start != nil else { return true }
        if kind == .subtitle, time < 0, time + packet.duration > 0 {
            packet.pointer.pointee.duration = time + packet.duration
            packet.pointer.pointee.pts = 0
            packet.pointer.pointee.dts = 0
            return true
        }
        if kind == .video, !keyed.contains(packet.streamIndex) {
            guard time >= 0, packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 else { return false }
            keyed.insert(packet.streamIndex)
        }
        return time >= 0
    }

    /// Whether a packet that has been placed begins at or after the end.
    func isPastEnd(_ packet: Packet, by slack: Double = 0) -> Bool {
        guard let end, let time = packet.pts ?? packet.dts else { return false }
        let limit = end + Int64(slack / av_q2d(timeBase))
        return av_compare_ts(time, packet.timeBase.av, limit, timeBase) >= 0
    }
}
