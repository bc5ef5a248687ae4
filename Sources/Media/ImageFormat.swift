import CFFmpeg

/// The image files that can be written.
enum ImageFormat: String, CaseIterable {
    case png, jpeg, webp, avif, tiff, bmp, exr, jxl

    private static let extensions: [String: ImageFormat] = [
        "png": .png, "jpg": .jpeg, "jpeg": .jpeg, "webp": .webp, "avif": .avif, "tif": .tiff, "tiff": .tiff,
        "bmp": .bmp, "exr": .exr, "jxl": .jxl,
    ]

    /// The format that a path's extension tells; nil where the output is a container or a stream.
    init?(path: String, settings: EncoderSettings, isInputImage: Bool) {
        guard settings.format == nil || settings.format == "image2", !StandardStream.isOutputStream(path) else {
            return nil
        }
        guard let format = Self.extensions[OutputExtension.of(path).lowercased()] else { return nil }
        if format == .webp, !isInputImage, !ImageNames(path: path).isNumbered { return nil }
        self = format
    }

    private var encoderName: String {
        switch self {
        case .png: "png"
        case .jpeg: "mjpeg"
        case .webp: "libwebp"
        case .avif: "libaom-av1"
        case .tiff: "tiff"
        case .bmp: "bmp"
        case .exr: "exr"
        case .jxl: "libjxl"
        }
    }

    /// The format's encoder, which may be asked for by its own name or the codec's.
    ///
    /// - Throws: `.usage` where the build has none, or another was asked for.
    func encoder(named name: String?, file: String) throws(MediaError) -> UnsafePointer<AVCodec> {
        guard let encoder = avcodec_find_encoder_by_name(encoderName) else {
            throw MediaError(
                kind: .usage, file: file, operation: "create",
                cause: "this build of FFmpeg has no encoder for \(rawValue) images",
                advice: "choose a name that ends in .png or .jpg")
        }
        let codecName = String(cString: avcodec_get_name(encoder.pointee.id))
        guard let name, name != encoderName, name != codecName else { return encoder }
        throw MediaError(
            kind: .usage, file: file, operation: "create",
            cause: "a \(rawValue) image is made by the encoder \(encoderName), not by '\(name)'",
            advice: "leave --codec out")
    }

    /// - Throws: `.usage` where its images can't hold alpha.
    func requireAlpha(file: String) throws(MediaError) {
        guard self == .jpeg || self == .bmp else { return }
        throw MediaError(
            kind: .usage, file: file, operation: "create", cause: "\(self) images can't hold alpha",
            advice: "name the output .png, .webp or .avif")
    }

    /// What pictures may be handed to the format's encoder as.
    func taken(by encoder: UnsafePointer<AVCodec>) -> [AVPixelFormat] {
        let taken = PixelFormatChoice.taken(by: encoder)
        return self == .avif ? taken + AVIFEncoder.alphaFormats : taken
    }

    /// Whether Exif and XMP can be put into its files.
    var holdsMetadata: Bool { [.png, .jpeg, .webp].contains(self) }

    /// Whether an ICC profile can; into JPEG XL FFmpeg's encoder puts that of the frame.
    var holdsProfile: Bool { holdsMetadata || self == .jxl }
}
