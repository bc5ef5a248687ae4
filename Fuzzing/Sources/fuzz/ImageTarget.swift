import Imaging

@testable import Media

/// Exif, XMP and profiles of JPEG, PNG and WebP files: found, changed, put into another file and found again.
enum ImageTarget {
    static func run(_ bytes: [UInt8]) {
        var metadata = ImageMetadata(file: bytes)
        // Exif by itself, too, whatever file it would stand in.
        for exif in [metadata.exif, Exif(bytes)].compactMap({ $0 }) {
            _ = exif.orientation
            let turned = exif.turned(.up).withoutThumbnail
            precondition(turned.bytes.count == exif.bytes.count, "changes keep the length")
            precondition(
                turned.orientation == nil || turned.orientation == .up, "an orientation that is told is the new one")
        }
        metadata.iccProfile = ImageMetadata.profile(decoded: bytes)
        for image in [ImageFormat.jpeg, .png, .webp] {
            let (held, _) = metadata.held(by: image, isGray: false)
            _ = held.inserted(into: bytes, of: image)
            check(held, in: image)
        }
    }

    /// What is put into a sound file is found there.
    private static func check(_ held: ImageMetadata, in image: ImageFormat) {
        guard let file = files[image] else { return }
        let found = ImageMetadata(file: held.inserted(into: file, of: image))
        precondition(found.exif == held.exif && found.xmp == held.xmp, "\(image) does not give back what was put in")
    }

    /// The least that holds together: a start and an end of the picture.
    private static let files: [ImageFormat: [UInt8]] = [
        .jpeg: [0xFF, 0xD8, 0xFF, 0xD9],
        .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [0, 0, 0, 13] + Array("IHDR".utf8)
            + [UInt8](repeating: 0, count: 17) + [0, 0, 0, 0] + Array("IEND".utf8) + [0, 0, 0, 0],
        .webp: Array("RIFF".utf8) + [22, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [10, 0, 0, 0]
            + [0, 0, 0, 0x9D, 0x01, 0x2A, 16, 0, 16, 0],
    ]
}
