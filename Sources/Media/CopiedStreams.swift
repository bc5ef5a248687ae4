import CFFmpeg

/// The streams of an output that are not encoded: their packets go bit for bit, or as another codec tells the same.
final class CopiedStreams {
    /// What could not be copied and was left out.
    private(set) var damage = Damage()
    /// Seconds at which what was copied is over.
    private(set) var end = 0.0

    private let container: OutputContainer
    private let input: InputFacts
    private let warnings: Warnings
    /// The output's stream for each of the input's.
    private let indexes: [Int: Int]
    /// What turns a stream's packets into those of another codec, by the number of the input's stream.
    private let converters: [Int: SubtitleConverter]
    /// Those without a packet so far whose beginning is told if it is not where it should be, by the number of the input's stream.
    private var awaited: [Int: StreamDescription]
    /// Seconds at which the first frame is shown; nil before it is known.
    private var firstTime: Double?
    /// What came before the first frame, and the cover pictures.
    private var waiting: [Packet]

    /// Seconds that nobody notices.
    private static let bearableDelay = 0.045

    init(
        _ plan: StreamPlan, indexes: [Int: Int], covers: [Packet], input: InputFacts, container: OutputContainer,
        warnings: Warnings
    ) {
        (self.container, self.input, self.warnings) = (container, input, warnings)
        (self.indexes, converters, waiting) = (indexes, plan.converters, covers)
        // Video begins with a key frame, and in some containers sound begins with the first frame.
        let beginsTogether = ContainerTiming(container.format).beginsTogether
        let streams = plan.copies.filter(\.hasPackets).map { StreamDescription($0.source) }.filter {
            input.beginsLater && $0.kind == .video || beginsTogether && $0.kind == .audio
        }
        awaited = Dictionary(uniqueKeysWithValues: streams.map { ($0.index, $0) })
    }

    /// Writes what came before the first frame, which is shown at `time` seconds: the container's header is there now.
    func begin(at time: Double) throws(MediaError) {
        firstTime = time
        let early = waiting
        waiting = []
        for packet in early { try copy(packet, firstTime: time) }
    }

    /// Writes a packet of the input, once the first frame is there; of a stream that is left out it is passed over.
    ///
    /// - Throws: `.badData` for a damaged packet where no damage is borne, `.io` where writing fails, `.readerGone` where nobody reads the
    ///   stream any more.
    func write(_ packet: Packet) throws(MediaError) {
        guard indexes[packet.streamIndex] != nil else { return }
        guard let firstTime else { return waiting.append(packet) }
        try copy(packet, firstTime: firstTime)
    }

    /// Tells of streams that nothing came of.
    func finish() {
        for stream in awaited.values.sorted(by: { $0.index < $1.index }) where stream.kind == .video {
            warnings("\(stream) is empty, because no key frame of it came in what was written")
        }
    }

    private func copy(_ packet: Packet, firstTime: Double) throws(MediaError) {
        guard let index = indexes[packet.streamIndex] else { return }
        tellStart(of: packet, firstTime: firstTime)
        do {
            guard let copy = try converted(packet) else { return }
            if try container.write(copy, to: index) {
                warnings.once(.packetTimes, "packets of copied streams whose time did not grow were moved")
            }
        } catch {
            guard error.code == FFErrorInvalidData else {
                throw MediaError(
                    error, kind: .io, file: container.path, operation: "write", detail: container.lastError)
            }
            return try noteDamage(error, packet)
        }
        end = max(end, packet.end ?? 0)
    }

    private func tellStart(of packet: Packet, firstTime: Double) {
        guard let stream = awaited.removeValue(forKey: packet.streamIndex), let time = packet.start else { return }
        let delay = time - firstTime
        let words = "\((abs(delay) * 100).rounded() / 100) s"
        let name = container.format.name
        if stream.kind == .video, delay > Self.bearableDelay {
            warnings("\(stream) begins \(words) late, at its first key frame in the part that was asked for")
        } else if stream.kind == .audio, delay > Self.bearableDelay {
            warnings("\(stream) is heard \(words) too soon, because \(name) can't tell that it begins later; .mkv can")
        } else if stream.kind == .audio, delay < -Self.bearableDelay, ContainerTiming(container.format).leavesNoGaps {
            warnings(
                "\(stream) is heard \(words) too late, because \(name) can't tell that the video begins later; "
                    + ".mkv can")
        }
    }

    /// The packet in the codec that the output has it in, for the muxer to take over; nil where there is nothing to be seen.
    private func converted(_ packet: Packet) throws(AVError) -> Packet? {
        guard let converter = converters[packet.streamIndex] else { return try packet.reference() }
        return try converter.convert(packet)
    }

    /// Counts a packet that the muxer could make nothing of; ends the run where no damage is borne.
    private func noteDamage(_ error: AVError, _ packet: Packet) throws(MediaError) {
        damage.note(at: packet.start.map { $0 + input.offset })
        damage.packetCount += 1
        guard input.isStrict else { return }
        throw MediaError(
            kind: .badData, file: input.path, operation: "read",
            cause: "stream \(packet.streamIndex) \(damage.place): \(error.description)",
            advice: "leave --strict out to pass over it")
    }
}
