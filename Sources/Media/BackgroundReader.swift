import Imaging

/// Reads what is put behind people: an image, an animated image or a video that loops.
///
/// Pictures come in the form of the frame that they go behind. An image is decoded and fitted once; of a video only the
/// pictures that are shown are fitted, and memory does not grow with its length. Sound and other streams are left out. Used
/// by one thread at a time.
public final class BackgroundReader {
    /// How a picture of another size or shape covers the frame; its own shape is always kept.
    public enum Fit: String, CaseIterable, Sendable {
        /// Covers the whole frame; what hangs over is cut off evenly.
        case fill
        /// Is shown whole, in the middle, with black around it.
        case fit
        /// Is repeated at its own size in pixels, from the upper left corner of the shown frame.
        case tile
    }

    /// The path as it was given; `-` is standard input, from which an image can come.
    public let path: String
    /// How its pictures cover a frame.
    public let fit: Fit

    /// Whether the first damage is an error.
    private let isStrict: Bool
    private let loop: PictureLoop
    private let fitter: BackgroundFitter
    private var latest: (source: FrameReference, stage: BackgroundStage, picture: PixelBuffer)?

    /// Opens the file and decodes its first picture; `threads` of the decoder, 0 leaves the number to FFmpeg.
    /// Where it is strict, damage is an error, now and later.
    /// - Throws: `.noInput` for a missing or unreadable file, `.badData` for one that is no picture and no video or above the limits,
    ///   `.usage` for a camera and for a video in a pipe, `.io` where reading fails; the operation is "read the background".
    public init(
        path: String, fit: Fit = .fill, threads: Int = 0, isStrict: Bool = false, limits: InputLimits = .init()
    ) throws(MediaError) {
        self.path = path
        self.fit = fit
        self.isStrict = isStrict
        do {
            try Self.refuseCamera(path)
            loop = try PictureLoop(path: path, threads: threads, limits: limits)
        } catch {
            throw error.ofBackground
        }
        fitter = BackgroundFitter(fit: fit)
        try refuseDamage()
    }

    private func refuseDamage() throws(MediaError) {
        guard isStrict, isDamaged else { return }
        throw MediaError(kind: .badData, file: path, operation: "decode", cause: "parts of it are missing").ofBackground
    }

    /// Whether something of what was read so far could not be decoded; it is passed over.
    public var isDamaged: Bool { loop.isDamaged }

    /// Whether it is one picture: an image, or a video of one frame.
    public var isStill: Bool { loop.isStill }

    /// The picture to put behind `frame` at `time` seconds of the output's timeline.
    ///
    /// It has the frame's pixel format, stored size, matrix, range, primaries and transfer, and is upright when it is shown as
    /// the frame is; transparent parts are black. A video starts at 0 with its first picture and loops without a gap; `time`
    /// may jump anywhere, to the same picture as if it had not; what is no finite number counts as 0. As long as the picture and the
    /// form of the frames are the same, the same memory is returned.
    /// - Throws: `.io` where reading fails, `.badData` for a picture that can't be converted, and for damage where that is an error.
    public func picture(at time: Double, behind frame: VideoFrame) throws(MediaError) -> PixelBuffer {
        let source: TimedPicture
        do {
            source = try loop.picture(at: time)
        } catch {
            throw error.ofBackground
        }
        try refuseDamage()
        let stage = BackgroundStage(frame)
        if let latest, latest.source === source.frame, latest.stage == stage { return latest.picture }
        do {
            let picture = try fitter.fit(source, to: stage)
            latest = (source.frame, stage, picture)
            return picture
        } catch {
            let kind: MediaError.Kind = error == .outOfMemory ? .internal : .badData
            throw MediaError(error, kind: kind, file: path, operation: "convert").ofBackground
        }
    }

    /// A camera never ends, so that there is nothing to loop.
    private static func refuseCamera(_ path: String) throws(MediaError) {
        do {
            guard try VideoDevice.find(path, as: .camera) != nil else { return }
        } catch {
            // What can only mean a camera, whether or not there is one.
        }
        throw MediaError(
            kind: .usage, file: path, operation: "read", cause: "a camera can't be looped",
            advice: "name a picture or a video file")
    }
}

extension MediaError {
    /// The same, as an error of reading a background, for which the options that widen limits hold as well.
    var ofBackground: MediaError {
        MediaError(
            kind: kind, file: file, operation: MediaError.readingBackground, cause: cause,
            advice: advice.map { advice in
                InputLimits.options.contains(where: advice.contains) ? advice : "name a picture or a video file"
            })
    }
}
