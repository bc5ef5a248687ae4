import CFFmpeg
import Imaging

/// Reads a video file, a stream or a camera: pictures of its video stream, packets of all its other streams.
///
/// Time stamps are the file's own, with two exceptions: a timeline that may start anywhere and jump (MPEG-TS and the like)
/// begins at 0 and is joined, and with `Options.start`, or from a camera, the first frame is at 0. Pictures are lent by the decoder
/// without copying; formats that `PixelFormat` doesn't know are converted once. Of raw frames and Y4M each frame comes as soon
/// as its bytes are there, whatever is yet to come. Used by one thread at a time; any other may use the ``interrupter``.
public final class MediaReader {
    /// Which part of the file is read, and how.
    public struct Options: Sendable {
        /// Threads of the decoder; 0 leaves the number to FFmpeg.
        public var threads: Int
        /// Whether a frame is to come out before the next one is read, at the cost of some threads; cameras always do so.
        public var isLive: Bool
        /// Seconds after the file's beginning; the first frame at or after it is the first to come.
        public var start: Double?
        /// Seconds from `start`, or from the file's beginning, on; frames at or after their end don't come, so that parts which
        /// follow each other have every frame once.
        public var duration: Double?
        /// Seconds before the first frame at or after `start` whose frames come as ``MediaItem/runIn(_:)``, as far as there are
        /// any; for files alone. Costs opening the file a second time.
        public var runIn: Double?
        /// How many frames come at most; the other streams stop with the last of them.
        public var frameLimit: Int?
        /// Whether everything that is in the file is to come.
        var isWhole: Bool { (start ?? 0) <= 0 && duration == nil && frameLimit == nil }
        /// FFmpeg's name of the input's format, such as `rawvideo` or `matroska`; nil to find it by probing.
        public var format: String?
        /// FFmpeg's name of the pixel format of raw frames, such as `yuv420p`; of a camera's pictures also that of a codec, such
        /// as `mjpeg`.
        public var pixelFormat: String?
        /// The size of raw frames or of a camera's mode, such as `1280x720`, or FFmpeg's name of it, such as `hd720`.
        public var size: String?
        /// Frames per second of raw frames or of a camera's mode, such as `30`, `30000/1001` or `ntsc`; nil for 25, as FFmpeg
        /// takes it, or for a camera's 30 or what is near.
        public var rate: String?
        /// FFmpeg's name of the matrix, such as `bt709` or `smpte170m`, of a video that does not tell it.
        public var colorspace: String?
        /// FFmpeg's name of the range, `tv` or `pc`, of a video that does not tell it.
        public var colorRange: String?
        /// What frames are to have formats for that have it not.
        public var addition: Addition
        /// FFmpeg's name of the hardware acceleration that decodes, such as `vaapi`, `cuda` or `qsv`; nil or `none` for the CPU.
        /// Frames are brought to memory; nothing else decodes in its place where it can't.
        public var hwaccel: String?
        /// FFmpeg's name of the device that decodes, such as `/dev/dri/renderD128`; nil for the first one.
        public var hwaccelDevice: String?
        /// FFmpeg's name of the decoder, such as `h264_cuvid` or `libdav1d`; nil for the usual one.
        public var decoder: String?
        /// FFmpeg's specifier of the video stream that is decoded, such as `2` for the file's third stream or `v:1` for its second
        /// video; nil for the one that FFmpeg takes for the best.
        public var stream: String?
        /// Whether the first damage ends the reading; otherwise it is concealed, counted and passed over. Decoding takes one thread then,
        /// whatever `threads` says, because decoders with several miss some.
        public var isStrict: Bool
        /// What may be opened beside the file, and how large its pictures may be.
        public var limits: InputLimits

        /// Options of which only those are given that matter.
        public init(
            threads: Int = 0, isLive: Bool = false, start: Double? = nil, duration: Double? = nil,
            runIn: Double? = nil, frameLimit: Int? = nil,
            format: String? = nil, pixelFormat: String? = nil, size: String? = nil, rate: String? = nil,
            colorspace: String? = nil, colorRange: String? = nil, addition: Addition = .none,
            hwaccel: String? = nil, hwaccelDevice: String? = nil, decoder: String? = nil, stream: String? = nil,
            isStrict: Bool = false, limits: InputLimits = .init()
        ) {
            self.threads = threads
            self.isLive = isLive
            self.start = start
            self.duration = duration
            self.runIn = runIn
            self.frameLimit = frameLimit
            self.format = format
            self.pixelFormat = pixelFormat
            self.size = size
            self.rate = rate
            self.colorspace = colorspace
            self.colorRange = colorRange
            self.addition = addition
            self.hwaccel = hwaccel
            self.hwaccelDevice = hwaccelDevice
            self.decoder = decoder
            self.stream = stream
            self.isStrict = isStrict
            self.limits = limits
        }
    }

    /// The input as it was given; `-` is standard input.
    public let path: String
    /// FFmpeg's name of the container, or names with commas between them, such as `matroska,webm`.
    public var formatName: String { source.container.formatName }
    /// The stream that is decoded; format and colour are those of its first frame.
    public let video: VideoStreamDescription
    /// All streams of the file, for messages.
    public var streams: [StreamDescription] { source.streams }
    /// Seconds on the timeline of the whole file that are 0 on the one that comes out; 0 without `Options.start`.
    public var offset: Double { source.clip.offset }
    /// What of the video could not be decoded and was passed over or concealed.
    public var damage: Damage { source.damage }
    /// Why raw frames or Y4M end within a frame; tells after the last whole one, nil where they end with it.
    public var truncation: MediaError? { source.container.truncation }

    /// Whether it is stored, so that it can be read at any pace and from any place.
    public var isSeekable: Bool { source.container.source.isSeekable }
    /// Whether frames come from a camera, as it takes them.
    public var isCamera: Bool { source.container.isCamera }

    let source: ClipSource
    /// What the first frame carries: light levels may be told there alone.
    let firstProperties: FrameProperties?
    /// What an image file carries beside its picture; empty for videos.
    let imageMetadata: ImageMetadata
    private var waiting: [MediaItem]

    /// Opens the file and decodes its first wanted frame; a stream is waited for.
    ///
    /// `path` is a file, whatever it looks like; one that isn't there is a URL if `Options.limits` allow its protocol.
    /// `-` is standard input; a FIFO or a device is read in the same way, without seeking. A camera goes by its path, a
    /// link to it, or a part of its name, as ``VideoDevice`` tells them; it never ends, save by ``interrupter``, and is let go by
    /// ``close()`` or together with the reader.
    /// - Throws: `.noInput` for a missing or unreadable file, `.badData` for one that isn't a video, has no video stream or
    ///   no frame that can be decoded or pictures above `Options.limits`, `.usage` for a start past the end, a run-in of a stream, and
    ///   for options that don't exist or don't fit, `.io` where reading fails, `.unavailable` where the hardware that is to decode or
    ///   its driver is not there.
    public init(path: String, options: Options = .init()) throws(MediaError) {
        self.path = path
        let source = try ClipSource.open(path: path, options: options)
        var waiting: [MediaItem] = []
        var first: VideoFrame?
        while first == nil, let item = try source.next() {
            waiting.append(item)
            if case .frame(let frame) = item { first = frame }
        }
        guard let first else {
            if source.isPastTheEnd {
                throw MediaError(
                    kind: .usage, file: path, operation: "read",
                    cause: "no frame lies within the part that was asked for",
                    advice: "choose an earlier start" + (options.duration == nil ? "" : ", or a longer duration"))
            }
            if let truncation = source.container.truncation { throw truncation }
            if let failure = source.sizeFailure { throw failure }
            if let failure = source.decodingFailure { throw failure }
            throw MediaError(
                kind: .badData, file: path, operation: "decode", cause: "not one frame could be decoded",
                advice: source.container.adviceWhereNothingIsDecoded)
        }
        video = VideoStreamDescription(source, first: first, options: options)
        firstProperties = first.attachments as? FrameProperties
        var metadata = source.imageMetadata ?? ImageMetadata()
        if source.imageMetadata != nil {
            let profile = firstProperties?.frame.sideData(AV_FRAME_DATA_ICC_PROFILE)
            metadata.iccProfile = profile.map { ImageMetadata.profile(decoded: Array($0)) }
        }
        imageMetadata = metadata
        guard let runIn = options.runIn, runIn > 0, let start = options.start, start > 0 else {
            self.source = source
            self.waiting = waiting.reversed()
            return
        }
        guard source.container.source.isSeekable else {
            throw MediaError(
                kind: .usage, file: path, operation: "read",
                cause: "a run-in must go back in it, which only a file lets",
                advice: "leave --run-in out")
        }
        // Where the first wanted frame lies is known by now, and with it the times of those before it.
        self.source = try ClipSource.open(path: path, options: options, origin: source.clip.origin)
        self.waiting = []
    }

    /// The next frame or packet; nil at the end.
    public func next() throws(MediaError) -> MediaItem? {
        if let item = waiting.popLast() { return item }
        return try source.next()
    }

    /// The next frame; packets and frames of a run-in that lie before it are passed over. nil at the end.
    public func nextFrame() throws(MediaError) -> VideoFrame? {
        while let item = try next() {
            if case .frame(let frame) = item { return frame }
        }
        return nil
    }

    /// Ends the reading and lets a camera go at once, for others to use; frames that came stay valid, and no more come.
    public func close() {
        waiting = []
        source.close()
    }

    /// What ends the wait for a stream that stays silent: `next()` then ends with nil. A file is read on.
    public var interrupter: Interrupter {
        let source = source.container.source
        return Interrupter { source.interrupt() }
    }
}

extension VideoStreamDescription {
    init(_ source: ClipSource, first: VideoFrame, options: MediaReader.Options) {
        let stream = source.stream
        let rate = Rational(source.container.frameRate(of: stream))
        let whole = source.container.duration(of: stream)
        var duration = whole.map { max(0, $0 - (options.start ?? 0)) }
        if let limit = options.duration { duration = min(duration ?? limit, limit) }
        var count: Int?
        if stream.pointee.nb_frames > 0, let duration, duration == whole {
            count = Int(stream.pointee.nb_frames)
        } else if let duration, rate.isKnown {
            count = Int(max(1, min((duration * rate.value).rounded(), 1e15)))
        }
        if let limit = options.frameLimit {
            count = min(count ?? limit, limit)
            if let length = duration, rate.isKnown { duration = min(length, Double(limit) / rate.value) }
        }
        self.init(
            index: Int(stream.pointee.index),
            codecName: String(cString: avcodec_get_name(stream.pointee.codecpar.pointee.codec_id)),
            pixelFormatName: source.importer.decodedFormat.name,
            width: first.pixelBuffer.width, height: first.pixelBuffer.height, orientation: first.orientation,
            frameRate: rate, frameCount: count, duration: duration, timeBase: first.timeBase, color: first.color,
            sampleAspectRatio: first.sampleAspectRatio)
    }
}
