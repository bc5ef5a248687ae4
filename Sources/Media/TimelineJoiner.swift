import CFFmpeg

/// Joins the pieces of a timeline that jumps, as that of an MPEG-TS recording may.
///
/// A jump is a decoding time that lies more than 10 s from where the stream's last packet ended, or before it by more than
/// 0.1 s: FFmpeg's own `dts_delta_threshold`. All streams are moved by what the first jumping one needs, which is one of sound
/// or video: subtitles may be silent for long.
struct TimelineJoiner {
    private static let gap: Int64 = 10_000_000
    private static let overlap: Int64 = 100_000
    private static let microseconds = AVRational(num: 1, den: 1_000_000)

    private var offset: Int64 = 0
    private var expected: [Int: Int64] = [:]

    /// Moves the packet's time stamps onto the joined timeline; the packets of a continuous stream follow one another closely.
    mutating func join(_ packet: Packet, isContinuous: Bool) {
        let timeBase = packet.timeBase.av
        if isContinuous, let dts = packet.dts {
            let time = av_rescale_q(dts, timeBase, Self.microseconds)
            if let expected = expected[packet.streamIndex] {
                let jump = time + offset - expected
                if jump > Self.gap || jump < -Self.overlap { offset -= jump }
            }
            let duration = av_rescale_q(packet.duration, timeBase, Self.microseconds)
            expected[packet.streamIndex] = time + offset + duration
        }
        guard offset != 0 else { return }
        packet.shift(by: av_rescale_q(offset, Self.microseconds, timeBase))
        packet.dropImpossibleTimes()
    }
}
