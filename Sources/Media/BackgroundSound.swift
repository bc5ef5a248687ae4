import CFFmpeg
import Imaging

/// The sound of a background that is played over and over, for a writer to take in the place of the input's.
///
/// Packets are copied as they are, so the output's container must hold their codec. A loop is as long as the background's
/// video, as far as the file tells, so that sound and picture stay together. Used by one thread at a time.
public final class BackgroundSound {
    /// Seconds that a loop lasts at least: the file is opened anew for each.
    private static let shortest = 0.02

    let path: String
    private let limits: InputLimits
    private var container: InputContainer
    private(set) var stream: UnsafeMutablePointer<AVStream>
    /// Where the loop that is read begins, on the timeline that comes out; in units of the stream.
    private var loopStart: Int64
    /// How long a loop is; nil where the file does not tell, and it is heard once.
    private let loopLength: Int64?
    private var waiting: Packet?
    private var isOver = false
    /// Whether nothing was heard since the last time that the file was opened.
    private var isLoopEmpty = true

    /// Opens the sound of `path`, which goes on as if it had run for `start` seconds at 0 of the output.
    ///
    /// - Throws: `.noInput` for a missing or unreadable file, `.badData` for one without sound, `.usage` for a stream; the
    ///   operation is "read the background".
    public init(path: String, start: Double = 0, limits: InputLimits = .init()) throws(MediaError) {
        self.path = path
        self.limits = limits
        (container, stream) = try Self.open(path, limits)
        let video = av_find_best_stream(container.context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        let whole = video >= 0 ? container.stream(Int(video)) : stream
        let timeBase = stream.pointee.time_base
        loopLength = container.duration(of: whole).map { max(TimeBounds.units(max($0, Self.shortest), timeBase), 1) }
        let skipped = TimeBounds.units(start, timeBase)
        loopStart = -(loopLength.map { skipped % $0 } ?? skipped)
    }

    private static func open(
        _ path: String, _ limits: InputLimits
    ) throws(MediaError) -> (InputContainer, UnsafeMutablePointer<AVStream>) {
        let container: InputContainer
        do {
            container = try InputContainer(path: path, format: InputFormat(.init(), path: path), limits: limits)
        } catch {
            throw error.ofBackground
        }
        guard container.source.isSeekable else {
            throw MediaError(
                kind: .usage, file: path, operation: MediaError.readingBackground,
                cause: "sound from a stream can't be heard over and over",
                advice: "name a file")
        }
        let index = av_find_best_stream(container.context, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
        guard index >= 0 else {
            throw MediaError(
                kind: .badData, file: path, operation: MediaError.readingBackground, cause: "it has no sound",
                advice: "leave --background-audio out")
        }
        let stream = container.stream(Int(index))
        for other in container.streams where other != stream { other.pointee.discard = AVDISCARD_ALL }
        return (container, stream)
    }

    /// The next packet that begins at `first` seconds of the output or later, but before `end`; nil where none does yet.
    func next(from first: Double, before end: Double) throws(MediaError) -> Packet? {
        let first = TimeBounds.units(first, stream.pointee.time_base)
        let limit = TimeBounds.units(end, stream.pointee.time_base)
        passOver(before: first)
        while waiting != nil || !isOver {
            if let packet = waiting {
                guard let start = packet.pts ?? packet.dts, start < limit else { return nil }
                waiting = nil
                if start >= first { return packet }
            }
            try advance()
        }
        return nil
    }

    /// Goes on in the last loop that is over by `time`: a video may begin years after 0, and each loop opens the file anew.
    private func passOver(before time: Int64) {
        guard let loopLength, time - loopStart > loopLength else { return }
        loopStart += ((time - loopStart) / loopLength - 1) * loopLength
    }

    /// Reads the next packet, from the beginning again where the loop is over.
    private func advance() throws(MediaError) {
        guard let packet = try read() else { return try rewind() }
        packet.shift(by: loopStart - origin)
        // What a damaged file tells no time of has no place.
        guard let start = packet.pts ?? packet.dts else { return }
        // Sound that is longer than the video would reach into the next loop.
        if let loopLength, start >= loopStart + loopLength { return try rewind() }
        waiting = packet
        isLoopEmpty = false
    }

    /// The next packet of the sound; nil at the end, and where the file is damaged from there on.
    private func read() throws(MediaError) -> Packet? {
        do {
            let packet = try Packet()
            while try container.readPassingDamage(into: packet, onDamage: { _ in }) {
                if packet.streamIndex == Int(stream.pointee.index) { return packet }
            }
            return nil
        } catch {
            throw MediaError(error, kind: .io, file: path, operation: "read").ofBackground
        }
    }

    private func rewind() throws(MediaError) {
        guard let loopLength, loopLength > 0, !isLoopEmpty else {
            isOver = true
            return
        }
        isLoopEmpty = true
        (container, stream) = try Self.open(path, limits)
        loopStart += loopLength
    }

    private var origin: Int64 {
        TimeBounds.units(microseconds: container.startTime, stream.pointee.time_base)
    }
}
