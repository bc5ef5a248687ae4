import CFFmpeg
import Imaging

/// Writes a video file or stream, or image files: encodes pictures, and copies the packets of all other streams bit for bit.
/// Subtitles of text that the container holds in another codec alone are converted.
///
/// A name that ends in `.png`, `.jpg`, `.jpeg`, `.webp`, `.avif`, `.tif`, `.tiff`, `.bmp`, `.exr` or `.jxl` makes image files: one
/// for each frame where it holds a number's pattern as FFmpeg's `image2` takes it (`frame-%05d.png`, numbered from 1), or one alone.
/// Image files hold no other streams. A `.webp` without a number is animated, unless the input is an image.
///
/// Files lie under a temporary name beside their final one until `finish()`, so whatever fails leaves nothing that looks
/// complete. Where a container can't hold the times before 0 at which the priming of audio lies (AVI, MPEG-TS, and Matroska for all
/// but Opus, whose delay it tells), all streams move together by that much, so that sound and picture stay in step; in MPEG-TS they do by
/// 1.4 s more, as `ffmpeg` has it. A stream (`-` for standard output, a FIFO, a device) is written to at once, and each packet is on its
/// way before the next is made. The encoder is opened by the first frame, whose format, size and colour it keeps. After `finish()` or `discard()` nothing more is written: to
/// ask for it is a caller's mistake, and traps. Used by one thread at a time; any other may use the ``interrupter``. The reader that it
/// was made with may go on in another thread, and serve several writers.
public final class MediaWriter {
    /// The output as it was given; `-` is standard output.
    public let path: String

    private enum Output {
        case container(StreamWriter)
        case images(ImageWriter)
    }

    private let output: Output

    /// What of the input's other streams could not be copied and was left out.
    public var damage: Damage {
        switch output {
        case .container(let writer): writer.damage
        case .images: Damage()
        }
    }

    /// Frames that the output holds so far: where its clock is coarser than the input's, as that of GIF, some fall away.
    public var frameCount: Int {
        switch output {
        case .container(let writer): writer.frameCount
        case .images(let writer): writer.frameCount
        }
    }

    /// Makes the file under its temporary name and settles all that can be settled before the first frame.
    ///
    /// The container follows from the settings or the name. Streams, metadata and chapters are those of `reader`, and between JPEG, PNG and
    /// WebP also Exif, ICC profile and XMP; `onWarning` gets a sentence for each stream that can't be held, for what must be
    /// mended and for options that the input overrules, from the thread that calls.
    /// `sound` takes the place of the input's.
    /// - Throws: `.usage` for a container, encoder or option that doesn't exist or doesn't fit, and for sound that the container
    ///   can't hold; `.cannotCreate` where the file may not or can't be made.
    public init(
        path: String, settings: EncoderSettings = .init(), reader: MediaReader, sound: BackgroundSound? = nil,
        overwrite: Bool = false, onWarning: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(MediaError) {
        self.path = path
        // Before its name is asked for a container.
        if !Self.isStream(path) { try OutputPlace.refuseFolder(path) }
        if let image = ImageFormat(path: path, settings: settings, isInputImage: reader.source.container.isImage) {
            guard sound == nil else {
                throw MediaError(
                    kind: .usage, file: path, operation: "create", cause: "images hold no sound",
                    advice: "leave --background-audio out")
            }
            output = .images(
                try ImageWriter(
                    path: path, image: image, settings: settings, reader: reader, overwrite: overwrite,
                    onWarning: onWarning))
        } else {
            output = .container(
                try StreamWriter(
                    path: path, settings: settings, reader: reader, sound: sound, overwrite: overwrite,
                    onWarning: onWarning))
        }
        for sentence in reader.source.setAside { onWarning(sentence) }
    }

    deinit { discard() }

    /// Whether what is written to `path` goes to a reader at once, as into standard output, a FIFO or a device.
    package static func isStream(_ path: String) -> Bool { StandardStream.isOutputStream(path) }

    /// Encodes a frame or writes a packet of a copied stream; packets of streams that are left out are passed over, and so are
    /// frames of the run-in.
    ///
    /// - Throws: `.usage` where the encoder refuses the first frame, for a picture of half precision, which FFmpeg does not know,
    ///   and for a second frame where the name is that of one image,
    ///   `.badData` for a damaged packet of a copied stream where the reader bears no damage, `.io` where writing fails,
    ///   `.readerGone` where nobody reads the stream any more, `.cannotCreate` where an image of a frame's name is there
    ///   already.
    public func write(_ item: MediaItem) throws(MediaError) {
        if case .frame(let frame) = item { try refuseUnknown(frame.pixelBuffer.format) }
        switch output {
        case .container(let writer): try writer.write(item)
        case .images(let writer): try writer.write(item)
        }
    }

    private func refuseUnknown(_ format: PixelFormat) throws(MediaError) {
        guard format.av == AV_PIX_FMT_NONE else { return }
        throw MediaError(
            kind: .usage, file: path, operation: "encode", cause: "FFmpeg has no pictures of \(format)",
            advice: "make them gray, gray16le or grayf32le")
    }

    /// Drains the encoder, completes the file and gives it its final name; of a stream nothing is left to do afterwards.
    ///
    /// - Throws: `.badData` if no frame was ever written, `.io` where writing fails, `.readerGone` where nobody reads the
    ///   stream any more, `.cannotCreate` if the name was taken meanwhile. Nothing is left behind then.
    public func finish() throws(MediaError) { _ = try finish { false } }

    /// The same, but a file that `isCancelled` by the time when only its name is missing gets none, and is removed. Whether it has.
    package func finish(unless isCancelled: () -> Bool) throws(MediaError) -> Bool {
        switch output {
        case .container(let writer): try writer.finish(unless: isCancelled)
        case .images(let writer): try writer.finish(unless: isCancelled)
        }
    }

    /// What ends the wait for a stream's reader that takes nothing for some seconds: writing fails then with `.io`.
    /// What is taken meanwhile is written as ever.
    public var interrupter: Interrupter {
        switch output {
        case .container(let writer): writer.interrupter
        case .images: Interrupter {}
        }
    }

    /// Removes what was written, unless it is finished; of a stream nothing can be taken back.
    public func discard() {
        switch output {
        case .container(let writer): writer.discard()
        case .images(let writer): writer.discard()
        }
    }
}
