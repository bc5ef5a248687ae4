import CFFmpeg

/// Where a PNG file keeps Exif, ICC profile and XMP: in chunks (Portable Network Graphics, Third Edition).
enum PNGFile {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Keyword, no compression, no language and no translated keyword (XMP part 3, 1.1.5).
    private static let xmpHeader = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)
    /// Name of the profile, and the only way of compression.
    private static let profileHeader = Array("ICC profile\0\0".utf8)
    private static let headerEnd = 8 + 25

    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }

    static func metadata(in bytes: [UInt8]) -> (exif: Exif?, xmp: [UInt8]?) {
        var exif: Exif?
        var xmp: [UInt8]?
        for chunk in chunks(of: bytes) {
            let content = bytes[chunk.content]
            if exif == nil, chunk.type == "eXIf" {
                exif = Exif(content)
            } else if xmp == nil, chunk.type == "iTXt", content.starts(with: xmpHeader) {
                xmp = Array(content.dropFirst(xmpHeader.count))
            }
        }
        return (exif, xmp)
    }

    /// How often an animation is shown, 0 for without end; nil for a picture that is none.
    static func playCount(in bytes: [UInt8]) -> Int? {
        let control = chunks(of: bytes).first { $0.type == "acTL" }
        return control.flatMap { BoundedBytes(Array(bytes[$0.content])).uint32(at: 4) }
    }

    static func inserting(_ metadata: ImageMetadata, into bytes: [UInt8]) -> [UInt8] {
        var inserted: [UInt8] = []
        if let profile = metadata.iccProfile { inserted += chunk("iCCP", profileHeader + stored(profile)) }
        if let exif = metadata.exif { inserted += chunk("eXIf", exif.bytes) }
        if let xmp = metadata.xmp { inserted += chunk("iTXt", xmpHeader + xmp) }
        var file = Array(bytes.prefix(headerEnd)) + inserted
        // A profile and the word that colours are sRGB's exclude each other.
        for chunk in chunks(of: bytes).dropFirst() where chunk.type != "sRGB" || metadata.iccProfile == nil {
            file += bytes[(chunk.content.lowerBound - 8)..<(chunk.content.upperBound + 4)]
        }
        return file
    }

    /// The chunks as far as they are whole; their check sums are left to the decoder.
    private static func chunks(of bytes: [UInt8]) -> [(type: String, content: Range<Int>)] {
        let reader = BoundedBytes(bytes)
        var chunks: [(type: String, content: Range<Int>)] = []
        var position = signature.count
        while let length = reader.uint32(at: position), let type = reader.slice(position + 4, 4),
            reader.slice(position + 8, length + 4) != nil
        {
            chunks.append((String(decoding: type, as: UTF8.self), position + 8..<position + 8 + length))
            position += 12 + length
        }
        return chunks
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + content
        let checksum = ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), .max, body, body.count)
        return bigEndian(UInt32(content.count)) + body + bigEndian(checksum)
    }

    /// A zlib stream of blocks that aren't compressed (RFC 1950, RFC 1951).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: bytes.count, by: 65535) {
            let block = bytes[start..<min(start + 65535, bytes.count)]
            let length = UInt16(block.count)
            stream.append(block.endIndex == bytes.count ? 1 : 0)
            for word in [length, ~length] { stream += [UInt8(word & 0xFF), UInt8(word >> 8)] }
            stream += block
        }
        return stream + bigEndian(UInt32(av_adler32_update(1, bytes, bytes.count)))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
