/// Where a WebP file keeps Exif, ICC profile and XMP: in chunks that its first chunk tells of (RFC 9649, 2.7).
enum WebPFile {
    private static let profileFlag: UInt8 = 0x20
    private static let alphaFlag: UInt8 = 0x10
    private static let exifFlag: UInt8 = 0x08
    private static let xmpFlag: UInt8 = 0x04

    static func isOne(_ bytes: [UInt8]) -> Bool {
        let reader = BoundedBytes(bytes)
        return reader.starts(with: Array("RIFF".utf8)) && reader.starts(with: Array("WEBP".utf8), at: 8)
    }

    static func metadata(in bytes: [UInt8]) -> (exif: Exif?, xmp: [UInt8]?) {
        let chunks = chunks(of: bytes)
        let exif = chunks.first { $0.type == "EXIF" }.map { bytes[$0.content] }
        let xmp = chunks.first { $0.type == "XMP " }.map { Array(bytes[$0.content]) }
        return (exif.map { Exif($0) }, xmp)
    }

    static func inserting(_ metadata: ImageMetadata, into bytes: [UInt8]) -> [UInt8] {
        let chunks = chunks(of: bytes)
        guard let size = size(in: bytes, chunks) else { return bytes }
        var flags: UInt8 = size.hasAlpha ? alphaFlag : 0
        if metadata.iccProfile != nil { flags |= profileFlag }
        if metadata.exif != nil { flags |= exifFlag }
        if metadata.xmp != nil { flags |= xmpFlag }
        var body = Array("WEBP".utf8)
        body += chunk("VP8X", [flags, 0, 0, 0] + littleEndian(size.width - 1, 3) + littleEndian(size.height - 1, 3))
        if let profile = metadata.iccProfile { body += chunk("ICCP", profile) }
        for part in chunks where part.type != "VP8X" { body += chunk(part.type, Array(bytes[part.content])) }
        if let exif = metadata.exif { body += chunk("EXIF", exif.bytes) }
        if let xmp = metadata.xmp { body += chunk("XMP ", xmp) }
        return Array("RIFF".utf8) + littleEndian(body.count, 4) + body
    }

    /// The picture's size in pixels, and whether it has alpha, as one of its chunks tells.
    private static func size(
        in bytes: [UInt8], _ chunks: [(type: String, content: Range<Int>)]
    ) -> (width: Int, height: Int, hasAlpha: Bool)? {
        guard let first = chunks.first else { return nil }
        let content = BoundedBytes(Array(bytes[first.content]), isLittleEndian: true)
        switch first.type {
        case "VP8X":
            guard let width = content.uint32(at: 4), let height = content.uint32(at: 6) else { return nil }
            return ((width & 0xFFFFFF) + 1, (height >> 8) + 1, content.bytes[0] & alphaFlag != 0)
        case "VP8L":
            guard let word = content.uint32(at: 1) else { return nil }
            return ((word & 0x3FFF) + 1, (word >> 14 & 0x3FFF) + 1, word >> 28 & 1 != 0)
        case "VP8 ":
            guard let width = content.uint16(at: 6), let height = content.uint16(at: 8) else { return nil }
            return (width & 0x3FFF, height & 0x3FFF, false)
        default: return nil
        }
    }

    /// The chunks as far as they are whole.
    private static func chunks(of bytes: [UInt8]) -> [(type: String, content: Range<Int>)] {
        let reader = BoundedBytes(bytes, isLittleEndian: true)
        var chunks: [(type: String, content: Range<Int>)] = []
        var position = 12
        while let type = reader.slice(position, 4), let length = reader.uint32(at: position + 4),
            reader.slice(position + 8, length) != nil
        {
            chunks.append((String(decoding: type, as: UTF8.self), position + 8..<position + 8 + length))
            position += 8 + length + length % 2
        }
        return chunks
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        Array(type.utf8) + littleEndian(content.count, 4) + content + (content.count % 2 == 0 ? [] : [0])
    }

    private static func littleEndian(_ number: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
