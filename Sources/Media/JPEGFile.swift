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

    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0xFF, 0xD8]) }

    static func metadata(in bytes: [UInt8]) -> (exif: Exif?, xmp: [UInt8]?) {
        var exif: Exif?
        var xmp: [UInt8]?
        for segment in segments(of: bytes) where segment.marker == app1 {
            let content = bytes[segment.content]
            if exif == nil, content.starts(with: Exif.signature) {
                exif = Exif(content)
            } else if xmp == nil, content.starts(with: xmpSignature) {
                xmp = Array(content.dropFirst(xmpSignature.count))
            }
        }
        return (exif, xmp)
    }

    static func inserting(_ metadata: ImageMetadata, into bytes: [UInt8]) -> [UInt8] {
        // JFIF's own segment comes first (JFIF 1.02).
        let first = segments(of: bytes).first
        let place = first.flatMap { $0.marker == app0 ? $0.content.upperBound : nil } ?? 2
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
