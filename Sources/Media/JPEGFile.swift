/// Where a JPEG file keeps Exif, ICC profile and XMP: in segments before the picture (ITU-T T.81, B.1; Exif 2.32, 4.7).
enum JPEGFile {
    private static let xmpSignature = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let profileSignature = Array("ICC_PROFILE\0".utf8)

    /// A segment tells its length in 16 bits, which count themselves.
    private static let segmentLimit = 65533
    static let exifLimit = segmentLimit - Exif.signature.count
    static let xmpLimit = segmentLimit - xmpSignature.count
    /// A profile may go on over 255 segments, each of which tells its number and how many there are.
    private static let profilePart = segmentLimit - profileSignature.count - 2
    static let profileLimit = 255 * profilePart

    private static let app0: UInt8 = 0xE0
    private static let app1: UInt8 = 0xE1
    private static let app2: UInt8 = 0xE2
    private static let comment: UInt8 = 0xFE
    private static let jfifSignature = Array("JFIF\0".utf8)
    /// Where JFIF's segment tells the unit, and how many pixels it has across and down.
    private static let (densityStart, densityEnd) = (7, 12)

    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0xFF, 0xD8]) }

    static func metadata(in bytes: [UInt8]) -> ImageMetadata {
        var metadata = ImageMetadata()
        for segment in segments(of: bytes) {
            let content = bytes[segment.content]
            switch segment.marker {
            case app1 where metadata.exif == nil && content.starts(with: Exif.signature):
                metadata.exif = Exif(content)
            case app1 where metadata.xmp == nil && content.starts(with: xmpSignature):
                metadata.xmp = Array(content.dropFirst(xmpSignature.count))
            // Encoders that tell their own name are not those of the next file.
            case comment where metadata.comment == nil && !content.starts(with: Array("Lavc".utf8)):
                metadata.comment = Array(content)
            case app0: metadata.density = density(in: content) ?? metadata.density
            default: break
            }
        }
        return metadata
    }

    /// Pixels by the inch or centimetre, the same across as down; others tell the shape of a pixel, which FFmpeg writes.
    private static func density(in content: ArraySlice<UInt8>) -> [UInt8]? {
        guard content.starts(with: jfifSignature), content.count >= densityEnd else { return nil }
        let density = Array(content.dropFirst(densityStart).prefix(densityEnd - densityStart))
        return [1, 2].contains(density[0]) && density[1...2].elementsEqual(density[3...4]) ? density : nil
    }

    static func inserting(_ metadata: ImageMetadata, into bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        // JFIF's own segment comes first (JFIF 1.02).
        let first = segments(of: bytes).first
        let place = first.flatMap { $0.marker == app0 ? $0.content.upperBound : nil } ?? 2
        if let density = metadata.density, let first, first.marker == app0, first.content.count >= densityEnd,
            bytes[first.content].starts(with: jfifSignature)
        {
            let start = first.content.lowerBound
            bytes.replaceSubrange(start + densityStart..<start + densityEnd, with: density)
        }
        var inserted: [UInt8] = []
        if let exif = metadata.exif { inserted += segment(app1, Exif.signature + exif.bytes) }
        if let xmp = metadata.xmp { inserted += segment(app1, xmpSignature + xmp) }
        if let profile = metadata.iccProfile {
            let count = (profile.count + profilePart - 1) / profilePart
            for index in 0..<count {
                let part = profile[(index * profilePart)..<min((index + 1) * profilePart, profile.count)]
                inserted += segment(app2, profileSignature + [UInt8(index + 1), UInt8(count)] + part)
            }
        }
        if let text = metadata.comment { inserted += segment(comment, text) }
        return Array(bytes[..<place]) + inserted + bytes[place...]
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    }

    /// The segments before the picture, as far as they are whole.
    private static func segments(of bytes: [UInt8]) -> [(marker: UInt8, content: Range<Int>)] {
        let reader = BoundedBytes(bytes)
        var segments: [(marker: UInt8, content: Range<Int>)] = []
        var position = 2
        while let mark = reader.slice(position, 2), mark.first == 0xFF, let marker = mark.last {
            switch marker {
            // Any number of fill bytes may stand before a marker.
            case 0xFF: position += 1
            // Markers that have no segment.
            case 0x01, 0xD0...0xD7: position += 2
            // The picture, or the end.
            case 0xDA, 0xD9: return segments
            default:
                guard let length = reader.uint16(at: position + 2), length >= 2,
                    reader.slice(position + 4, length - 2) != nil
                else { return segments }
                segments.append((marker, position + 4..<position + 2 + length))
                position += 2 + length
            }
        }
        return segments
    }
}
