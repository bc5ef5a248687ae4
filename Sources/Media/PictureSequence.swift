import CFFmpeg
import Imaging

/// The pictures of a file's video in their order, as the decoder gives them: what a background is made of.
///
/// Other streams are left out, damaged packets passed over. Used by one thread at a time.
final class PictureSequence {
    /// How far before a wanted picture decoding begins: seconds, and frames if that is more, as many as a decoder may reorder.
    ///
    /// Indexes tell decoding times, and the first pictures after a key frame may be made of some before it.
    private static let seekMargin = (seconds: 1.0, frames: Int64(16))

    let path: String
    /// Seconds that one unit of a time stamp lasts.
    let unit: Double

    private let container: InputContainer
    private let stream: UnsafeMutablePointer<AVStream>
    private let threads: Int
    private let limits: InputLimits
    /// Where the log stood before the file was opened.
    private let logPosition: Int
    private let interval: Int64
    private var decoder: Decoder
    private var joiner: TimelineJoiner?
    private var orientation: Orientation?
    /// What an image's Exif tells, which not all of FFmpeg's decoders read.
    private var exifOrientation: Orientation?
    /// The first picture's time stamp, which counts as 0.
    private var origin: Int64?
    private var lastStart: Int64?
    private var nextTime: Int64?
    private var isOver = false
    /// Whether something could not be decoded so far, or not all of it.
    private(set) var isDamaged = false

    /// Opens the file; `threads` 0 leaves the number to FFmpeg.
    init(path: String, threads: Int, limits: InputLimits) throws(MediaError) {
        (self.path, self.threads, self.limits) = (path, threads, limits)
        logPosition = LibraryLog.position
        container = try InputContainer(path: path, format: InputFormat(.init(), path: path), limits: limits)
        stream = try container.videoStream()
        let parameters = stream.pointee.codecpar.pointee
        try limits.check(width: Int(parameters.width), height: Int(parameters.height), file: path)
        for other in container.streams where other != stream { other.pointee.discard = AVDISCARD_ALL }
        unit = av_q2d(stream.pointee.time_base)
        interval = FrameImporter.frameInterval(of: stream, in: container)
        orientation = stream.displayMatrix?.orientation
        joiner = container.hasArbitraryTimeline ? TimelineJoiner() : nil
        decoder = try Self.makeDecoder(stream, container, threads, limits)
    }

    private static func makeDecoder(
        _ stream: UnsafeMutablePointer<AVStream>, _ container: InputContainer, _ threads: Int, _ limits: InputLimits
    ) throws(MediaError) -> Decoder {
        var choice = HardwareDecoding(.init())
        choice.decoder = alphaDecoder(of: stream)
        return try Decoder(
            stream: stream, frameRate: container.frameRate(of: stream), threads: threads, isLive: false,
            hardware: choice, limits: limits, file: container.path)
    }

    /// The decoder of VP8 or VP9 that knows alpha, which FFmpeg's own pass over; nil for the usual one.
    private static func alphaDecoder(of stream: UnsafeMutablePointer<AVStream>) -> String? {
        guard let mode = av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0),
            String(cString: mode.pointee.value) == "1"
        else { return nil }
        let names = [AV_CODEC_ID_VP8.rawValue: "libvpx", AV_CODEC_ID_VP9.rawValue: "libvpx-vp9"]
        return names[stream.pointee.codecpar.pointee.codec_id.rawValue]
            .flatMap { avcodec_find_decoder_by_name($0) == nil ? nil : $0 }
    }

    /// The pictures' size, where not one was decoded because it is above the limit.
    var sizeFailure: MediaError? { limits.refusal(since: logPosition, file: path) }

    /// Whether it can be read again from its beginning.
    var isSeekable: Bool { container.source.isSeekable }

    /// Whether it is one image by its format; what follows, as a photo's thumbnail or gain map, is no part of a sequence.
    var isOnePicture: Bool { container.formatName.hasSuffix("_pipe") }
    var adviceWhereNothingIsDecoded: String? { container.adviceWhereNothingIsDecoded }

    /// Whether a picture far from here can be found without decoding all before it.
    ///
    /// Formats without an index of their own are sought in by where packets were seen, whether or not one can begin there.
    var hasIndex: Bool {
        isSeekable && !container.hasNoTimestamps && !container.hasArbitraryTimeline
            && container.context.pointee.iformat.pointee.flags & AVFMT_GENERIC_INDEX == 0
    }

    /// The next picture; nil at the end.
    func next() throws(MediaError) -> TimedPicture? {
        do {
            while !isOver {
                if let frame = try decode() {
                    if frame.pointer.pointee.decode_error_flags != 0 { isDamaged = true }
                    return place(frame)
                }
            }
        } catch {
            throw MediaError(error, kind: .io, file: path, operation: "read")
        }
        return nil
    }

    /// Goes to a picture at or before `time` and returns it; nil where none can be found so, and what comes next is not told.
    func seek(to time: Int64) throws(MediaError) -> TimedPicture? {
        guard let origin, isSeekable, !container.hasNoTimestamps, !container.hasArbitraryTimeline else { return nil }
        let margin = max(Int64(Self.seekMargin.seconds / unit), Self.seekMargin.frames * interval)
        let early = hasIndex ? max(0, time - margin) : 0
        guard container.seek(stream, to: origin + early) else { return nil }
        // A flushed decoder may still hold a picture that the first one is blended with, as that of APNG does.
        decoder = try Self.makeDecoder(stream, container, threads, limits)
        (lastStart, nextTime, isOver) = (nil, nil, false)
        let latest = early == 0 ? 0 : time - margin / 2
        guard let picture = try next(), picture.start <= latest else { return nil }
        return picture
    }

    /// One step: a picture where one comes out.
    private func decode() throws(AVError) -> FrameReference? {
        do {
            switch try decoder.receive() {
            case .frame(let frame): return frame
            case .end: isOver = true
            case .needsPacket: try decoder.send(try read())
            }
        } catch  where container.isDamage(error) {
            // The next packet may be whole.
            isDamaged = true
        }
        return nil
    }

    /// The next packet of the video; nil at the end, and where the file is damaged from there on.
    private func read() throws(AVError) -> Packet? {
        let packet = try Packet()
        while try container.readPassingDamage(into: packet, onDamage: { _ in isDamaged = true }) {
            guard packet.streamIndex == Int(stream.pointee.index) else { continue }
            if container.isImage { exifOrientation = ImageMetadata.orientation(file: packet.bytes) }
            joiner?.join(packet, isContinuous: true)
            return packet
        }
        return nil
    }

    private func place(_ frame: FrameReference) -> TimedPicture {
        var pts = frame.time(stream.pointee.time_base) ?? nextTime ?? origin ?? 0
        if let lastStart, pts <= lastStart { pts = nextTime ?? lastStart + 1 }
        let duration = frame.duration(stream.pointee.time_base)
        let end = pts + (duration > 0 ? duration : interval)
        (lastStart, nextTime) = (pts, end)
        let origin = origin ?? pts
        self.origin = origin
        let orientation = orientation ?? frame.displayMatrix?.orientation ?? exifOrientation ?? .up
        self.orientation = orientation
        return TimedPicture(
            frame: frame, start: pts - origin, end: end - origin,
            sampleAspectRatio: Rational(av_guess_sample_aspect_ratio(container.context, stream, frame.pointer)),
            orientation: orientation)
    }
}
