import CFFmpeg

/// Joins the pieces of a timeline that jumps, as that of an MPEG-TS recording may.
///
/// A jump is a decoding time more than 10 s ahead of where the streams have come, or more than 0.1 s before that of the
/// stream's own last packet: FFmpeg's own `dts_delta_threshold` and the tenth beside it, but for a stream that pauses while
/// others go on. How long packets are said to last is no measure of a jump back: some say too much. All streams are moved by
/// what the first jumping one needs, which is one of sound or video: subtitles may be silent for long.
struct TimelineJoiner {
    private static let gap: Int64 = 10_000_000
    private static let overlap: Int64 = 100_000
    private static let microseconds = AVRational(num: 1, den: 1_000_000)

    private var offset: Int64 = 0
    /// Where each continuous stream is: when its last packet is decoded, and when that ends.
    private var positions: [Int: (dts: Int64, end: Int64)] = [:]

    /// Moves the packet's time stamps onto the joined timeline; the packets of a continuous stream follow one another closely.
    mutating func join(_ packet: Packet, isContinuous: Bool) {
        let timeBase = packet.timeBase.av
        if isContinuous, let dts = packet.dts {
            let time = av_rescale_q(dts, timeBase, Self.microseconds)
            offset -= jump(of: packet.streamIndex, to: time + offset)
            let duration = av_rescale_q(packet.duration, timeBase, Self.microseconds)
            positions[packet.streamIndex] = (time + offset, time + offset + duration)
        }
        guard offset != 0 else { return }
        packet.shift(by: av_rescale_q(offset, Self.microseconds, timeBase))
        packet.dropImpossibleTimes()
    }

    /// How far `time` lies from where the stream goes on; 0 where that is no jump.
    private func jump(of stream: Int, to time: Int64) -> Int64 {
        guard let furthest = positions.values.map(\.end).max() else { return 0 }
        let own = positions[stream]
        let earliest = own.map { $0.dts - Self.overlap } ?? furthest - Self.gap
        guard time < earliest || time > furthest + Self.gap else { return 0 }
        // A stream that has paused for long goes on where the others are.
        let end = own.map { furthest - $0.end > Self.gap ? furthest : $0.end } ?? furthest
        return time - end
    }
}
