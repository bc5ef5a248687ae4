import Imaging

/// What an image file carries beside its picture, as bytes.
struct ImageMetadata: Equatable, Sendable {
    var exif: Exif?
    var iccProfile: [UInt8]?
    /// A packet of XMP in UTF-8 (ISO 16684-1).
    var xmp: [UInt8]?
    /// What JPEG files have as a comment.
    var comment: [UInt8]?
    /// The unit and the pixels that it has across and down, as JFIF tells them.
    var density: [UInt8]?

    init(exif: Exif? = nil, iccProfile: [UInt8]? = nil, xmp: [UInt8]? = nil) {
        self.exif = exif
        self.iccProfile = iccProfile
        self.xmp = xmp
    }

    /// What a JPEG, PNG or WebP file has; whatever is damaged or cut off is passed over.
    ///
    /// The profile is not looked for, since FFmpeg's decoders hand it out.
    init(file bytes: [UInt8]) {
        self.init()
        if JPEGFile.isOne(bytes) {
            self = JPEGFile.metadata(in: bytes)
        } else if PNGFile.isOne(bytes) {
            (exif, xmp) = PNGFile.metadata(in: bytes)
        } else if WebPFile.isOne(bytes) {
            (exif, xmp) = WebPFile.metadata(in: bytes)
        }
    }

    /// How the picture of an image file is turned, by its Exif, or by a TIFF file's own structure, which is of the same kind; nil where
    /// that is not told.
    static func orientation(file bytes: [UInt8]) -> Orientation? {
        ImageMetadata(file: bytes).exif?.orientation ?? Exif(bytes).orientation
    }

    /// A profile as FFmpeg's decoder hands it out, without the byte that WebP fills odd lengths up with.
    static func profile(decoded bytes: [UInt8]) -> [UInt8] {
        BoundedBytes(bytes).uint32(at: 0) == bytes.count - 1 ? bytes.dropLast() : bytes
    }

    /// Whether the XMP holds pictures, which show the frame as it was: thumbnails (XMP Specification Part 2), or those of
    /// phones.
    var xmpHoldsPictures: Bool {
        guard let xmp else { return false }
        return ["xmpGImg:image", "GImage:Data", "GDepth:Data"].contains { xmp.contains($0.utf8) }
    }

    /// What files of `image` can hold, for pictures in gray or in colour, and the names of what they can't.
    func held(by image: ImageFormat, isGray: Bool) -> (metadata: ImageMetadata, leftOut: [String]) {
        var held = self
        let isJPEG = image == .jpeg
        if !image.holdsMetadata || isJPEG && (exif?.bytes.count ?? 0) > JPEGFile.exifLimit { held.exif = nil }
        if !image.holdsMetadata || isJPEG && (xmp?.count ?? 0) > JPEGFile.xmpLimit { held.xmp = nil }
        // A profile holds for the colours that it was made for, which bytes 16 to 19 of its header name (ICC.1, 7.2.6).
        let space = Array((isGray ? "GRAY" : "RGB ").utf8)
        let isProfileRight = iccProfile.map { BoundedBytes($0).starts(with: space, at: 16) } ?? true
        let isProfileTooLong = isJPEG && (iccProfile?.count ?? 0) > JPEGFile.profileLimit
        if !image.holdsProfile || !isProfileRight || isProfileTooLong { held.iccProfile = nil }
        if !isJPEG { (held.comment, held.density) = (nil, nil) }
        let parts = [
            ("Exif", exif != held.exif), ("ICC profile", iccProfile != held.iccProfile), ("XMP", xmp != held.xmp),
            ("comment", comment != held.comment),
        ]
        return (held, parts.filter(\.1).map(\.0))
    }

    /// A file of `image` with this in it; `bytes` are the file as FFmpeg's encoder makes it.
    func inserted(into bytes: [UInt8], of image: ImageFormat) -> [UInt8] {
        guard self != ImageMetadata() else { return bytes }
        return switch image {
        case .jpeg: JPEGFile.inserting(self, into: bytes)
        case .png: PNGFile.inserting(self, into: bytes)
        case .webp: WebPFile.inserting(self, into: bytes)
        case .avif, .tiff, .bmp, .exr, .jxl: bytes
        }
    }
}
