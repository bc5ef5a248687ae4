import CFFmpeg
import Glibc
import Imaging

/// Writes image files: one for each frame, or one alone.
///
/// They lie in a hidden folder beside their final places until `finish()`. The encoder is opened by the first frame. The reader
/// that it was made with may go on in another thread.
final class ImageWriter {
    private let path: String
    private let image: ImageFormat
    private let names: ImageNames
    private let overwrite: Bool
    private let onWarning: @Sendable (String) -> Void
    private let inputFile: LocalFile?
    private let folder: PartialFolder
    private let codec: UnsafePointer<AVCodec>
    private let encoder: ImageEncoder
    private let pixelFormats: PixelFormatChoice
    private let alpha: AlphaKind
    /// What the input carries, and then what of it goes out.
    private var metadata: ImageMetadata

    private var exporter: FrameExporter?
    private(set) var frameCount = 0
    private var fileCount = 0
    private var pictureChange: PictureChange?
    private var isOver = false

    init(
        path: String, image: ImageFormat, settings: EncoderSettings, reader: MediaReader, overwrite: Bool,
        onWarning: @escaping @Sendable (String) -> Void
    ) throws(MediaError) {
        (self.path, self.image, self.overwrite, self.onWarning) = (path, image, overwrite, onWarning)
        names = ImageNames(path: path)
        alpha = settings.alpha
        metadata = reader.imageMetadata
        inputFile = reader.source.container.file
        codec = try image.encoder(named: settings.codec, file: path)
        let taken = image.taken(by: codec)
        if settings.keepsAlpha { try image.requireAlpha(file: path) }
        pixelFormats = try PixelFormatChoice(
            taken, codec: codec.pointee.id, holder: "the encoder \(String(cString: codec.pointee.name))",
            settings: settings, file: path)
        encoder = try ImageEncoder(image, codec: codec, settings: settings, file: path)
        try Self.checkPlaces(names, path: path, reader: reader, overwrite: overwrite)
        folder = try PartialFolder(beside: path)
        warnOfStreams(reader)
    }

    deinit { discard() }

    /// Refuses files that are in the way, the first of them by its name.
    private static func checkPlaces(
        _ names: ImageNames, path: String, reader: MediaReader, overwrite: Bool
    ) throws(MediaError) {
        try OutputPlace.checkFolder(of: path)
        let input = reader.source.container.file
        guard names.isNumbered else { return try OutputPlace.checkFile(path, input: input, overwrite: overwrite) }
        let there = LocalFile.names(inFolder: LocalFile.folder(of: path)).compactMap { names.number(of: $0) }
        for number in there.sorted() {
            try OutputPlace.checkFile(names.path(number), input: input, overwrite: overwrite)
        }
    }

    private func warnOfStreams(_ reader: MediaReader) {
        let others = reader.streams.filter { $0.index != reader.video.index }.map(\.description)
        guard !others.isEmpty else { return }
        let verb = others.count == 1 ? "is" : "are"
        onWarning("\(Self.list(others)) \(verb) left out, because image files hold pictures alone")
    }

    private static func list(_ words: [String]) -> String {
        guard words.count > 1 else { return words.first ?? "" }
        return "\(words.dropLast().joined(separator: ", ")) and \(words[words.count - 1])"
    }

    func write(_ item: MediaItem) throws(MediaError) {
        precondition(!isOver, "nothing can be written after finish() or discard()")
        guard case .frame(let frame) = item else { return }
        guard frameCount == 0 || names.isNumbered else { throw secondFrame }
        if exporter == nil { try open(frame) }
        guard let exporter else { return }
        for change in pictureChange?.warnings(of: frame) ?? [] { onWarning(change) }
        // Of what a decoder tells, encoders write some here and some there; files get it afterwards.
        let keepsProperties = image == .jxl && metadata.iccProfile != nil
        let picture: FrameReference
        do {
            picture = try exporter.makeFrame(
                frame, pts: Int64(frameCount), duration: 1, keepsProperties: keepsProperties)
        } catch {
            throw MediaError(error, kind: .internal, file: path, operation: "encode")
        }
        frameCount += 1
        try store(try encoder.files(of: picture))
    }

    private var secondFrame: MediaError {
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        // Percent signs that were no number's place are to stay what they are.
        let name = path[..<dot].split(separator: "/").last?.replacing("%", with: "%%") ?? ""
        let numbered = "\(name)-%05d\(path[dot...])"
        return MediaError(
            kind: .usage, file: path, operation: "write",
            cause: "more than one frame came, and the name is that of one image",
            advice: "name the output \(numbered) for an image of each frame, or pass --limit 1")
    }

    func finish(unless isCancelled: () -> Bool) throws(MediaError) -> Bool {
        precondition(!isOver, "files are finished once")
        defer { discard() }
        guard frameCount > 0 else {
            throw MediaError(kind: .badData, file: path, operation: "write", cause: "there was no frame to write")
        }
        try store(try encoder.files(of: nil))
        do {
            try folder.sync()
            guard !isCancelled() else { return false }
            try folder.move(to: LocalFile.folder(of: path), overwrite: overwrite)
        } catch {
            throw OutputPlace.unnamed(path, error)
        }
        return true
    }

    func discard() {
        isOver = true
        folder.remove()
    }

    private func store(_ files: [[UInt8]]) throws(MediaError) {
        for file in files {
            fileCount += 1
            // The name would be known to be taken only at the end otherwise.
            try OutputPlace.checkFile(names.path(fileCount), input: inputFile, overwrite: overwrite)
            do {
                try folder.write(metadata.inserted(into: file, of: image), as: names.name(fileCount))
            } catch {
                throw MediaError(error, kind: .io, file: path, operation: "write")
            }
        }
    }

    // MARK: Opening

    private func open(_ frame: VideoFrame) throws(MediaError) {
        let isGray = frame.pixelBuffer.format.colorModel == .gray && image != .jpeg
        if metadata.xmpHoldsPictures {
            metadata.xmp = nil
            onWarning("the input's XMP is left out, because it holds pictures with the old background")
        }
        let (held, leftOut) = metadata.held(by: image, isGray: isGray)
        metadata = held
        metadata.exif = held.exif?.withoutThumbnail
        if !leftOut.isEmpty {
            let reason = leftOut.count == 1 ? "is left out, because it" : "are left out, because they"
            onWarning("the input's \(Self.list(leftOut)) \(reason) can't be put into this \(image) image")
        }
        if frame.color.isHDR, ![.avif, .jxl, .exr].contains(image) {
            onWarning(
                "the pictures are HDR, which \(image) can't tell: name the output .avif to keep them right")
        }
        let aspect = frame.sampleAspectRatio
        if aspect.isKnown, aspect.numerator != aspect.denominator, ![.png, .jpeg, .tiff, .exr].contains(image) {
            onWarning(
                "a pixel is \(aspect.numerator):\(aspect.denominator) wide, which \(image) can't tell: it will be "
                    + "shown square")
        }
        let rotation = settleOrientation(of: frame)
        let source = FrameExporter.rotatedFormat(frame.pixelBuffer.format, by: rotation)
        let format = try EncoderFormat(
            codec: codec, choice: pixelFormats, frame: frame, rotation: rotation, own: source.av)
        try encoder.open(format)
        exporter = FrameExporter(format: format, rotation: rotation, alpha: alpha)
        pictureChange = PictureChange(from: frame)
    }

    /// The turn that is left to do: none where Exif tells that of the frame.
    private func settleOrientation(of frame: VideoFrame) -> Orientation {
        guard let exif = metadata.exif else { return frame.orientation }
        if exif.orientation ?? .up == frame.orientation { return .up }
        metadata.exif = exif.turned(.up)
        return frame.orientation
    }
}
